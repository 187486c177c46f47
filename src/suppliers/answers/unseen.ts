/**
 * Control characters of C1, DEL, line separators, and what changes the direction of the text after it: a person reads another
 * text than a program. What other encodings make of quotes is among them, so only numbers of bookings
 * and cancellations are refused for it; texts are cleaned (trimmed.ts).
 */
export const UNSEEN = /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/;

/** A text with nothing in place of what changes its direction, and blanks for the other characters that are not seen. */
export function seenIn(text: string): string {
  if (!UNSEEN.test(text)) return text;
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '').replace(/[\x7f-\x9f\u2028\u2029]/g, ' ');
}

/** Why a text can't be a code or URL: it has more than `most` characters, but at most `longest`, or some that are not seen. Undefined if it may be one. */
export function faultOf(text: unknown, most: number, longest: number): string | undefined {
  if (typeof text !== 'string' || text.length > longest) return undefined;
  if (text.length > most) return `more than ${most} characters`;
  return UNSEEN.test(text) ? 'characters that are not seen' : undefined;
}
