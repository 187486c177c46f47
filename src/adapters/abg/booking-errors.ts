import type { Fault, Refusal } from '../../model/supplier.js';
import { type AbgReason, abgErrorCode, abgOutcome } from './errors.js';
import { isSuccess } from './reply.js';

/** What a reason is called in a refusal; a reason without an entry (a missing field, a date) has no word of its own. */
const REFUSALS: Readonly<Partial<Record<AbgReason, Refusal>>> = {
  no_results: 'sold_out',
  invalid_location: 'invalid_location',
  location_closed: 'location_closed',
  invalid_rate: 'invalid_rate',
  invalid_discount: 'invalid_discount',
  invalid_option: 'extra_not_available',
  card_declined: 'card_declined',
  unknown_booking: 'not_found',
  already_cancelled: 'not_changeable',
};

/** Why a code refuses, in the words of the port; undefined when ABG's code says no more than no. */
export function abgRefusal(code: string): Refusal | undefined {
  const reason = abgErrorCode(code)?.reason;
  return reason && REFUSALS[reason];
}

/**
 * The fault of a call that only reads (price check, view). What is "nothing there" to a search is a refusal here, and a success that
 * cannot be read (no code) a bad payload.
 */
export function abgReadFault(status: number, code: string): Fault {
  if (isSuccess(status) && code === '') return 'bad_payload';
  const outcome = abgOutcome(status, code);
  return outcome === 'empty' ? 'rejected' : outcome;
}

/**
 * The fault of a call that books, changes or cancels. Doubtful, because the backend may have done it all the same: 408, every 5xx and the
 * codes of backend trouble (reason supplier_failure: 610, 40018, 319, and the refusals nobody explains, 1005, 14025, 14441, 19082). ABG
 * publishes no full list, so a code never heard of is taken at its HTTP status: a 4xx with a code in ABG's own form is a refusal, for the
 * unexplained ones are known by number; without a readable code, or inside a success, nobody knows.
 */
export function abgWriteFault(status: number, code: string): Fault {
  const outcome = abgOutcome(status, code);
  if (outcome === 'auth' || outcome === 'throttled' || outcome === 'unavailable') return outcome;
  const known = abgErrorCode(code);
  if (known) return known.reason === 'supplier_failure' ? 'unavailable' : 'rejected';
  return code !== '' && status >= 400 ? 'rejected' : 'bad_payload';
}
