import type { Quote } from './quotes.js';

/** The cancellation terms of a rate. `fee` is due after `freeUntil`, or always if there is none; minor units. */
export interface CancellationTerms {
  readonly refundable: boolean;
  /** Local time at the pickup station. */
  readonly freeUntil?: string;
  readonly fee: number;
}

const HOUR_MS = 3_600_000;

/** Free until some hours before pickup, then the price of one day; a non-refundable rate costs its full total. */
export function cancellationTerms({
  offer,
  rental,
  total,
}: Pick<Quote, 'offer' | 'rental' | 'total'>): CancellationTerms {
  const { freeCancellationHours, price } = offer;
  if (freeCancellationHours === undefined) return { refundable: false, fee: total };
  const freeUntil = new Date(Date.parse(`${rental.pickupDate}Z`) - freeCancellationHours * HOUR_MS)
    .toISOString()
    .slice(0, 19);
  return { refundable: true, freeUntil, fee: Math.min(price.dailyRate, total) };
}
