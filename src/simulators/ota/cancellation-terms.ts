import type { SimulatedCarOffer } from '../world.js';

/** The cancellation fees of a rate. `freeUntilHours` before pickup; undefined = never free. */
export interface CancellationTerms {
  readonly freeUntilHours?: number;
  /** One day's price; undefined = the full total. */
  readonly fee?: number;
}

/**
 * The terms of one rate: after the free period, one day's price, or the full total of a prepaid or non-refundable rate.
 */
export function cancellationTerms(offer: SimulatedCarOffer, prepaid: boolean): CancellationTerms {
  const hours = offer.freeCancellationHours;
  return { freeUntilHours: hours, fee: prepaid || hours === undefined ? undefined : offer.price.dailyRate };
}

/** The fee for cancelling a booking with this total this many hours before pickup. */
export function cancellationFee(
  { freeUntilHours, fee }: CancellationTerms,
  total: number,
  hoursBefore: number,
): number {
  if (freeUntilHours !== undefined && hoursBefore >= freeUntilHours) return 0;
  return Math.min(fee ?? total, total);
}
