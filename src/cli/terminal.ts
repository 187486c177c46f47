/**
 * Control characters but line feeds and tabs, with those of C1, line separators, and what changes the direction of text.
 * A supplier could set the title of a terminal with them, clear it, or show another result than the command's.
 */
const UNSEEN = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A text for a terminal: characters that it would obey are written as in JSON, `\u001b`, so JSON keeps its meaning. */
export function shown(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Writes a line of results. With `tell`, the only way in which a command writes to its terminal. */
export function print(text: string): void {
  console.log(shown(text));
}

/** Writes a line about what happens. */
export function tell(text: string): void {
  console.error(shown(text));
}
