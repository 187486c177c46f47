import { COMMON_PASSWORDS } from './common-passwords.js';

export const SHORTEST_PASSWORD = 12;
export const LONGEST_PASSWORD = 128;

/** Shorter parts of a name or address stand in good passwords by chance. */
const SHORTEST_PART = 4;
/** A few characters over and over. */
const REPEATED = /^(.{1,6}?)\1+.{0,5}$/su;
/** Rows in which a run of keys or letters is no secret. */
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '012345678901234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
];

/**
 * What is wrong with a new password, as one sentence for the person; undefined = nothing. What counts is length and that it is not among the first
 * to be guessed; which kinds of characters it has does not matter.
 */
export function passwordProblem(
  password: string,
  { name, email }: { name: string; email: string },
): string | undefined {
  const { length } = [...password];
  if (length < SHORTEST_PASSWORD)
    return `Use at least ${SHORTEST_PASSWORD} characters. A few words in a row make a good password.`;
  if (length > LONGEST_PASSWORD) return `Use at most ${LONGEST_PASSWORD} characters.`;
  const plain = password.normalize('NFKC').toLowerCase();
  if (isCommon(plain))
    return 'This password is among the first that are guessed. Use a few words that nobody would put in a row.';
  const own = [...name.toLowerCase().split(/\s+/), ...email.toLowerCase().split(/[@.+_-]/), 'forecourt'];
  if (own.some((part) => part.length >= SHORTEST_PART && plain.includes(part))) {
    return 'Leave your name, your e-mail address and the name of this site out of the password.';
  }
  return undefined;
}

function isCommon(plain: string): boolean {
  const withoutTail = plain.replace(/[\d\W_]+$/u, '');
  return (
    [plain, withoutTail].some((text) => COMMON_PASSWORDS.has(text)) ||
    REPEATED.test(plain) ||
    ROWS.some((row) => isRunOf(row, plain))
  );
}

function isRunOf(row: string, text: string): boolean {
  const backwards = [...row].reverse().join('');
  return [row, backwards].some((one) => one.includes(text) || one.startsWith(text.slice(0, SHORTEST_PASSWORD)));
}
