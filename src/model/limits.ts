import { SupplierError } from './supplier.js';

/*
 * Limits that adapters check before they map, because mapping is what costs. The engine checks every answer against all
 * of its limits afterward (docs/resilience.md#limits-of-an-answer).
 */

/** Maximum offers or locations of one answer. */
export const MOST_ITEMS = 1_000;

/** Maximum bookings of an answer to one reference. */
export const MOST_BOOKINGS = 100;

/** Maximum terms of one offer. */
export const MOST_TERMS = 100;

/**
 * Maximum members of a list inside an offer, a reservation or a location: more than an offer may have of charges or options, of which suppliers
 * repeat some.
 */
export const MOST_LISTED = 300;

/** Maximum characters of a code. */
export const MOST_CODE = 100;

/** An answer that is `bad_payload` because it has too much of something to be read. */
export class TooMuchError extends SupplierError {}

/** Throws TooMuchError if an answer has more than `most` of something; `what` names it in the plural. */
export function refuseMoreThan(most: number, count: number, what: string): void {
  if (count > most) throw new TooMuchError('bad_payload', `the answer has ${count} ${what}; the limit is ${most}`);
}

/**
 * Bytes of an offer in JSON. Complete ones have 5 KB, complete terms of a rental less than 100 KB. A price check returns one offer, of which a
 * reservation keeps less (offers/kept-view.ts).
 */
export const MOST_OFFER_BYTES = { searchVehicles: 200_000, priceCheck: 500_000 } as const;
