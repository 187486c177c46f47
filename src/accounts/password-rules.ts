import { COMMON_PASSWORDS } from './common-passwords.js';

export const SHORTEST_PASSWORD = 12;
export const LONGEST_PASSWORD = 128;

/** Shorter parts of a name or address can be in a good password by chance. */
const SHORTEST_PART = 4;
/** A repeated group of up to six characters. */
const REPEATED = /^(.{1,6}?)\1+.{0,5}$/su;
/** Sequences of letters, digits and keys that are easy to guess. */
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '012345678901234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
];

/**
 * What is wrong with a new password, as one sentence for the person; undefined if it is acceptable. It must be long enough and hard to guess;
 * the kinds of characters don't matter.
 */
export function passwordProblem(
  password: string,
  { name, email }: { name: string; email: string },
): string | undefined {
  const { length } = [...password];
  if (length < SHORTEST_PASSWORD)
    return `Use at least ${SHORTEST_PASSWORD} characters. Several unrelated words make a good password.`;
  if (length > LONGEST_PASSWORD) return `Use at most ${LONGEST_PASSWORD} characters.`;
  const plain = password.normalize('NFKC').toLowerCase();
  if (isCommon(plain)) return 'This password is too easy to guess. Use several unrelated words.';
  const own = [...name.toLowerCase().split(/\s+/), ...email.toLowerCase().split(/[@.+_-]/), 'forecourt'];
  if (own.some((part) => part.length >= SHORTEST_PART && plain.includes(part))) {
    return "Don't use your name, your email address or the name of this site in the password.";
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
