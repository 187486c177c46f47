import type { ListedOffer } from '../model/offers.js';

/**
 * What an offer was shown with, besides its price and car: what an id must say, because a later answer of the supplier may say
 * otherwise or nothing. Absent = it wasn't shown so.
 */
export interface ShownTerms {
  /** The supplier accepts the booking manually. */
  readonly onRequest?: true;
}

const ON_REQUEST = 'request';

/** The terms of an offer as words of its id. Empty for most offers: an id should be short. */
export function termWords({ status }: Pick<ListedOffer, 'status'>): readonly string[] {
  return status === 'on_request' ? [ON_REQUEST] : [];
}

/** Reads what termWords wrote. Words of other gateways' versions mean nothing. */
export function termsOfWords(words: readonly string[]): ShownTerms {
  return words.includes(ON_REQUEST) ? { onRequest: true } : {};
}
