/** A text without U+0000 and halves of characters: PostgreSQL can't read a JSON value that has them. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
