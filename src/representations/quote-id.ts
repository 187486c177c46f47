import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { ChosenExtra } from '../model/bookings.js';
import { offerMembers, offerTuple, type SealedOffer } from './offer-id.js';
import { seal } from './sealed-id.js';

/**
 * The content of a quote id: that of an offer id, the chosen extras (code and quantity) and the codes of the chosen
 * coverages.
 */
export const quoteTuple = z.tuple([
  ...offerTuple.def.items,
  z.array(z.tuple([z.string(), z.number()])),
  z.array(z.string()).readonly(),
]);

/** A priced offer with the chosen extras and coverages. */
export interface SealedQuote extends SealedOffer {
  readonly extras: readonly ChosenExtra[];
  readonly coverages: readonly string[];
}

/** Creates the `quo_…` id of a priced offer; `readPriced` reads it. */
export function quoteId(quote: SealedQuote, key: KeyObject): string {
  const extras = quote.extras.map(({ code, quantity }): [string, number] => [code, quantity]);
  const content: Readonly<z.infer<typeof quoteTuple>> = [...offerMembers(quote), extras, quote.coverages];
  return seal('quo_', JSON.stringify(content), key);
}
