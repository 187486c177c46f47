import type { KeyObject } from 'node:crypto';
import type { ChosenExtra } from '../model/bookings.js';
import { offerMembers, type SealedOffer } from './offer-id.js';
import { seal } from './sealed-id.js';

/** An offer as it was priced, with what was chosen. */
export interface SealedQuote extends SealedOffer {
  readonly extras: readonly ChosenExtra[];
  readonly coverages: readonly string[];
}

/** Makes the `quo_…` id of a priced offer: an offer id that also says extras and coverages; `readPriced` reads it back. */
export function quoteId(quote: SealedQuote, key: KeyObject): string {
  const extras = quote.extras.map(({ code, quantity }) => [code, quantity]);
  return seal('quo_', `[${offerMembers(quote)},${JSON.stringify(extras)},${JSON.stringify(quote.coverages)}]`, key);
}
