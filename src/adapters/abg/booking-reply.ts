import { type Fault, SupplierError, type SupplierHttpAnswer } from '../../model/supplier.js';
import { abgReadFault, abgRefusal, abgWriteFault } from './booking-errors.js';
import { type AbgReason, abgErrorCode } from './errors.js';
import { isSuccess, parseObject } from './reply.js';
import { group, list, readFailures, type Wire, wireObject } from './wire.js';

/**
 * The result of a price check or booking call: the body of a success, or the error to throw. `reason` is set if ABG
 * clearly refused and all its errors have that reason.
 */
export type AbgReply =
  | { readonly body: Wire; readonly failed?: undefined }
  | { readonly failed: SupplierError; readonly reason: AbgReason | undefined };

/** Reads the answer of a call that changes nothing. */
export function readReply(answer: SupplierHttpAnswer): AbgReply {
  return reply(answer, abgReadFault);
}

/**
 * Reads the answer of a call that books, changes or cancels. If there are several errors, an ambiguous one outweighs a
 * clear refusal.
 */
export function readWriteReply(answer: SupplierHttpAnswer): AbgReply {
  return reply(answer, abgWriteFault);
}

/**
 * The `reservation` of a success. Throws bad_payload if it is missing: an empty success says nothing about the booking.
 */
export function reservationOf(body: Wire): Wire {
  const reservation = wireObject(body.reservation);
  if (!reservation) throw new SupplierError('bad_payload', 'abg returned a success without a reservation');
  return reservation;
}

/**
 * Throws bad_payload unless the body states success and has no errors: {status: {success: [...]}} is all that a
 * cancellation and a partial update return.
 */
export function requireStated(body: Wire): void {
  if (!statesSuccess(body) || readFailures(body).length > 0)
    throw new SupplierError('bad_payload', 'abg returned a success without the status success');
}

/** Whether a body states success, whatever its errors say. */
export function statesSuccess(body: Wire): boolean {
  return list(group(body.status).success).length > 0;
}

function reply(answer: SupplierHttpAnswer, faultOf: (status: number, code: string) => Fault): AbgReply {
  const { status } = answer;
  const body = parseObject(answer);
  const codes = body ? readFailures(body).map((failure) => failure.code) : [];
  // Errors next to a reservation are only remarks: the reservation exists.
  if (isSuccess(status) && body && (codes.length === 0 || wireObject(body.reservation))) return { body };
  const errors = (codes.length > 0 ? codes : ['']).map((code) => ({ code, fault: faultOf(status, code) }));
  const { code, fault } = errors.find((error) => isDoubtful(error.fault)) ??
    errors[0] ?? { code: '', fault: 'bad_payload' as const };
  if (fault !== 'rejected') return { failed: new SupplierError(fault, message(status, code)), reason: undefined };
  const reasons = new Set(codes.map((named) => abgErrorCode(named)?.reason));
  return {
    failed: new SupplierError(fault, message(status, code), true, { refusal: abgRefusal(code) }),
    reason: reasons.size === 1 ? abgErrorCode(code)?.reason : undefined,
  };
}

function isDoubtful(fault: Fault): boolean {
  return fault === 'unavailable' || fault === 'bad_payload';
}

/** Never includes the supplier's own words: a refusal may quote the renter or the card. */
function message(status: number, code: string): string {
  const known = abgErrorCode(code);
  if (known) return `abg answered ${status}: ${code} ${known.meaning}`;
  return /^\d{1,8}$/.test(code) ? `abg answered ${status}: ${code}, an unpublished code` : `abg answered ${status}`;
}
