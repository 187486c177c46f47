import { createHash } from 'node:crypto';
import { formatAmount } from '../model/money.js';
import { readPriced } from '../offers/priced-key.js';
import type { OpeningKeys } from '../representations/sealed-id.js';

/** Who is to drive, as far as it tells apart two bookings. */
export interface Driver {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
}

/** An amount as decimal text, with its currency. */
export interface Total {
  readonly amount: string;
  readonly currency: string;
}

/**
 * The total that a quote was confirmed with; undefined if it isn't a quote of the application: an offer id names a price
 * that was not confirmed by a price check.
 */
export function confirmedTotal(quoteId: string, applicationId: string, keys: OpeningKeys): Total | undefined {
  const priced = readPriced(quoteId, keys);
  if (priced?.kind !== 'quote' || priced.application !== applicationId) return undefined;
  return { amount: formatAmount(priced.total), currency: priced.total.currency };
}

/**
 * The Idempotency-Key of a booking by a tool: the same for the same application, quote, and driver, however often and
 * wherever it is tried. Case and spaces around the names don't count.
 */
export function bookingKey(applicationId: string, quoteId: string, driver: Driver): string {
  const names = [driver.first_name, driver.last_name, driver.email].map((name) => name.trim().toLowerCase());
  const parts = JSON.stringify([applicationId, quoteId, ...names]);
  return `mcp-${createHash('sha256').update(parts).digest('base64url')}`;
}
