import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

export const SHORTEST_PASSWORD = 12;
export const LONGEST_PASSWORD = 128;

/** Powers of ten. The estimator's best grade begins here; two random words of a large list stay below it. */
const FEWEST_GUESSES_LOG10 = 10;
/** Bounds the time of an estimate, which grows with the square of the length. What follows only adds guesses. */
const JUDGED_CHARACTERS = 24;
/** Replacements such as $ for s that the estimator tries for one text. */
const MOST_REPLACEMENTS = 16;

/** Shorter parts of a name or address can be in a good password by chance. */
const SHORTEST_PART = 4;

let estimator: ZxcvbnFactory | undefined;

/**
 * What is wrong with a new password, as one sentence for the person; undefined if it is acceptable. It must be long
 * enough and hard to guess; the kinds of characters don't matter.
 */
export function passwordProblem(
  password: string,
  { name, email }: { name: string; email: string },
): string | undefined {
  const { length } = [...password];
  if (length < SHORTEST_PASSWORD)
    return `Use at least ${SHORTEST_PASSWORD} characters. Several unrelated words make a good password.`;
  if (length > LONGEST_PASSWORD) return `Use at most ${LONGEST_PASSWORD} characters.`;
  const plain = password.normalize('NFKC');
  const own = [...name.toLowerCase().split(/\s+/), ...email.toLowerCase().split(/[@.+_-]/), 'forecourt'];
  if (isEasyToGuess(plain, own)) return 'This password is too easy to guess. Use several unrelated words.';
  if (own.some((part) => part.length >= SHORTEST_PART && plain.toLowerCase().includes(part))) {
    return "Don't use your name, your email address or the name of this site in the password.";
  }
  return undefined;
}

/** Estimates the guesses of an attacker who tries leaked passwords, keyboard rows, dates, repetitions and `own` words first. */
function isEasyToGuess(password: string, own: readonly string[]): boolean {
  // Built at the first use: it ranks 49,000 passwords.
  estimator ??= new ZxcvbnFactory({
    dictionary,
    graphs: adjacencyGraphs,
    maxLength: JUDGED_CHARACTERS,
    l33tMaxSubstitutions: MOST_REPLACEMENTS,
  });
  return estimator.check(password, [...own]).guessesLog10 < FEWEST_GUESSES_LOG10;
}
