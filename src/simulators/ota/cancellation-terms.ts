import type { SimulatedCarOffer } from '../world.js';

/** What cancelling costs from when on. `freeUntilHours` before pickup; undefined = never free. */
export interface CancellationTerms {
  readonly freeUntilHours?: number;
  /** A day's price; undefined = everything is lost. */
  readonly fee?: number;
}

/** The terms of one rate: after the free time a day's price, of a prepaid or non-refundable rate everything. */
export function cancellationTerms(offer: SimulatedCarOffer, prepaid: boolean): CancellationTerms {
  const hours = offer.freeCancellationHours;
  return { freeUntilHours: hours, fee: prepaid || hours === undefined ? undefined : offer.price.dailyRate };
}

/** The fee of a booking of that total when it is cancelled so many hours before pickup. */
export function cancellationFee(
  { freeUntilHours, fee }: CancellationTerms,
  total: number,
  hoursBefore: number,
): number {
  if (freeUntilHours !== undefined && hoursBefore >= freeUntilHours) return 0;
  return Math.min(fee ?? total, total);
}
