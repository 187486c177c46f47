import { type KeyObject, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { ChosenExtra } from '../model/bookings.js';
import { offerMembers, offerTuple, type SealedOffer } from './offer-id.js';
import { seal } from './sealed-id.js';

/** Bytes that tell apart two quotes of the same offer in the same second: each books once. */
const NONCE_BYTES = 6;

/**
 * The content of a quote id: that of an offer id, the chosen extras (code and quantity), the codes of the chosen
 * coverages, and random characters (absent in ids of earlier gateways).
 */
export const quoteTuple = z.tuple([
  ...offerTuple.def.items,
  z.array(z.tuple([z.string(), z.number()])),
  z.array(z.string()).readonly(),
  z.string().optional(),
]);

/** A priced offer with the chosen extras and coverages. */
export interface SealedQuote extends SealedOffer {
  readonly extras: readonly ChosenExtra[];
  readonly coverages: readonly string[];
}

/** Creates a `quo_…` id of a priced offer, a new one for each call; `readPriced` reads it. */
export function quoteId(quote: SealedQuote, key: KeyObject): string {
  const extras = quote.extras.map(({ code, quantity }): [string, number] => [code, quantity]);
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  const content: Readonly<z.infer<typeof quoteTuple>> = [...offerMembers(quote), extras, quote.coverages, nonce];
  return seal('quo_', JSON.stringify(content), key);
}
