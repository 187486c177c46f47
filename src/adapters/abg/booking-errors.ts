import type { Fault, Refusal } from '../../model/supplier.js';
import { type AbgReason, abgErrorCode, abgOutcome } from './errors.js';
import { isSuccess } from './reply.js';

/** Refusals by reason. A reason without an entry (a missing field, a date) has no specific refusal. */
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

/** The refusal that a code means; undefined if the code gives no specific one. */
export function abgRefusal(code: string): Refusal | undefined {
  const reason = abgErrorCode(code)?.reason;
  return reason && REFUSALS[reason];
}

/**
 * The fault of a call that only reads (price check, view). What counts as "nothing there" in a search is a refusal
 * here, and an unreadable success (no code) is a bad payload.
 */
export function abgReadFault(status: number, code: string): Fault {
  if (isSuccess(status) && code === '') return 'bad_payload';
  const outcome = abgOutcome(status, code);
  return outcome === 'empty' ? 'rejected' : outcome;
}

/**
 * The fault of a call that books, changes or cancels. The outcome is in doubt, because the backend may have acted
 * anyway, for 408, every 5xx and the codes of backend trouble (reason supplier_failure: 610, 40018, 319, and the
 * unexplained refusals 1005, 14025, 14441, 19082). ABG publishes no complete list, so the HTTP status decides for an
 * unknown code: a 4xx with a code in ABG's own format is a refusal, because the unexplained refusals are known by
 * number. Without a readable code, or inside a success, the outcome is unknown.
 */
export function abgWriteFault(status: number, code: string): Fault {
  const outcome = abgOutcome(status, code);
  if (outcome === 'auth' || outcome === 'throttled' || outcome === 'unavailable') return outcome;
  const known = abgErrorCode(code);
  if (known) return known.reason === 'supplier_failure' ? 'unavailable' : 'rejected';
  return code !== '' && status >= 400 ? 'rejected' : 'bad_payload';
}
