/**
 * A copy of what a YAML parser returned, with texts of their own. The parser returns slices of the file: one character
 * outside Latin-1 in a comment makes all of them two-byte strings, and with them every URL and answer that they become
 * part of, which costs twice the memory and up to a third of the throughput.
 */
export function withOwnTexts<T>(parsed: T): T {
  return JSON.parse(JSON.stringify(parsed)) as T;
}
