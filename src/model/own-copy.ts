/** V8 copies a part of up to 12 characters; a longer one refers to the text that it is a part of and keeps it in memory. */
const LONGEST_COPIED = 12;

/**
 * A well-formed text that keeps no other one in memory: for parts of a large text, such as a document, that may be kept longer than
 * it. Takes less than a microsecond for texts of some hundred characters.
 */
export function ownCopy(text: string): string {
  return text.length <= LONGEST_COPIED ? text : Buffer.from(text).toString();
}

/** The text without blanks around it, which aren't kept in memory either. */
export function trimmedCopy(text: string): string {
  const trimmed = text.trim();
  return trimmed.length === text.length ? text : ownCopy(trimmed);
}
