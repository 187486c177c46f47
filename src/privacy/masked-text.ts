import { maskCardNumbers } from './card-numbers.js';

/** The most characters read, so that a long text costs nothing more. */
const MOST_READ = 8_192;
const EMAIL = /[^\s@<>"'(),:;=]{1,64}@[^\s@<>"'(),:;=]{1,255}/g;

/**
 * Text of others, such as suppliers and drivers, for a log line: card numbers, email addresses and the `personal` texts
 * that the caller knows (a renter's names) and `secrets` are masked, and at most `longest` characters are kept. Texts of one character
 * aren't masked, because they are in every word.
 */
export function maskedText(
  text: string,
  longest = 200,
  personal: readonly string[] = [],
  secrets: readonly string[] = [],
): string {
  const beginning = secrets.reduce((masked, secret) => without(masked, secret, '[secret]'), readable(text));
  const masked = maskCardNumbers(beginning).replace(EMAIL, '[email]');
  return personal.reduce((rest, known) => without(rest, known, '[personal]'), masked).slice(0, longest);
}

function without(text: string, known: string, mask: string): string {
  if (known.length < 2) return text;
  return text.replace(new RegExp(known.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi'), mask);
}

/** The beginning of a text, which ends with a word, so that what is masked isn't cut in two. */
function readable(text: string): string {
  if (text.length <= MOST_READ) return text;
  let end = MOST_READ;
  while (end > 0 && !/[a-z]\s/i.test(text.slice(end - 1, end + 1))) end -= 1;
  return text.slice(0, end);
}
