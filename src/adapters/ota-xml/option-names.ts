import { MOST_TERMS } from '../../model/limits.js';
import type { Term } from '../../model/offers.js';
import type { CodeEntry } from './option-codes.js';

/** A longer description isn't a name, but a text about the option. */
const MOST_NAME = 100;

/** What an option is called, and what a supplier says about it at length. */
export interface Described {
  readonly name: string;
  readonly text?: string | undefined;
}

/**
 * The first description that is short enough is the name, the first longer one a text. Without a short one the name is that of the
 * code; of an unknown code, the beginning of the text.
 */
export function describedBy(descriptions: readonly (string | undefined)[], { type, label }: CodeEntry): Described {
  const stated = descriptions.filter((description) => description !== undefined);
  const text = stated.find(({ length }) => length > MOST_NAME);
  const name = stated.find(({ length }) => length <= MOST_NAME);
  return { name: name ?? (text !== undefined && type === 'other' ? beginningOf(text) : label), text };
}

/** What a supplier writes in place of a code, if it is made of words. */
export function inWords(code: string | undefined): string | undefined {
  return code !== undefined && /\s|[a-z]{2}/.test(code) ? code : undefined;
}

/** Up to the last complete word. */
function beginningOf(text: string): string {
  return `${text.slice(0, MOST_NAME).replace(/\s\S*$/, '')}…`;
}

/** Terms with those about options, as many as an offer may have. */
export function withTexts(terms: readonly Term[], texts: readonly Term[]): readonly Term[] {
  return texts.length === 0 ? terms : [...terms, ...texts].slice(0, Math.max(terms.length, MOST_TERMS));
}
