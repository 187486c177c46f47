import type { Refusal } from '../../supplier.js';

/** What a code of the supplier means: it refuses, for a reason of ours where it has one. */
export interface ProblemCode {
  readonly refusal?: Refusal;
}

const CODES: ReadonlyMap<string, ProblemCode> = new Map([
  ['SOLD_OUT', { refusal: 'sold_out' }],
  ['RATE_EXPIRED', { refusal: 'rate_expired' }],
  ['HOLD_EXPIRED', { refusal: 'rate_expired' }],
  ['PRICE_CHANGED', { refusal: 'price_changed' }],
  ['UNKNOWN_STATION', { refusal: 'invalid_location' }],
  ['STATION_CLOSED', { refusal: 'location_closed' }],
  ['DRIVER_NOT_ELIGIBLE', { refusal: 'not_eligible' }],
  ['EXTRA_NOT_AVAILABLE', { refusal: 'extra_not_available' }],
  ['NOT_FOUND', { refusal: 'not_found' }],
  ['ALREADY_CANCELLED', { refusal: 'not_changeable' }],
  ['HOLD_CONFIRMED', { refusal: 'not_changeable' }],
  ['INVALID_REQUEST', {}],
]);

/** What is known of a refusal's code; undefined for a code that the supplier never published. */
export function problemCode(code: string): ProblemCode | undefined {
  return CODES.get(code);
}
