import { maskCardNumbers } from './card-numbers.js';

/** The most characters read, so that a long text costs nothing more. */
const MOST_READ = 8_192;
const EMAIL = /[^\s@<>"'(),:;=]{1,64}@[^\s@<>"'(),:;=]{1,255}/g;

/**
 * Text of others, such as suppliers and drivers, for a log line: card numbers, email addresses and the `personal` texts
 * that the caller knows (a renter's names) are masked, and at most `longest` characters are kept. Texts of one character
 * aren't masked, because they are in every word.
 */
export function maskedText(text: string, longest = 200, personal: readonly string[] = []): string {
  let masked = maskCardNumbers(readable(text)).replace(EMAIL, '[email]');
  for (const secret of personal.filter(({ length }) => length > 1)) {
    masked = masked.replace(new RegExp(secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi'), '[personal]');
  }
  return masked.slice(0, longest);
}

/** The beginning of a text, which ends with a word, so that what is masked isn't cut in two. */
function readable(text: string): string {
  if (text.length <= MOST_READ) return text;
  let end = MOST_READ;
  while (end > 0 && !/[a-z]\s/i.test(text.slice(end - 1, end + 1))) end -= 1;
  return text.slice(0, end);
}
