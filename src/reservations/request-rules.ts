import { isSameCode, type SupplierBooking } from '../model/bookings.js';
import { isForOtherDates } from '../suppliers/answers/requested.js';
import { reasonBooked } from './booked-differences.js';
import { bookedPatch } from './booking-outcome.js';
import { type Finding, hasNumber, isActive, NEVER, otherDates, type Verdict } from './reconcile-rules.js';
import type { Reservation } from './reservation.js';
import { isRefused, type Outcome } from './supplier-outcome.js';

/** The times that decide about a request that the supplier accepts manually, in epoch milliseconds. */
export interface RequestClock {
  readonly checkedAt: number;
  readonly pickupAt: number;
  /** When an open request is withdrawn: some time after the pickup, when the supplier may be serving the renter. */
  readonly withdrawAt: number;
  /** When a request is given up whose booking can't be retrieved, or which can't be withdrawn. */
  readonly reviewAt: number;
}

/** Resolves a request that the supplier accepts manually from what it shows under the request's number. */
export function verdictOnRequest(reservation: Reservation, finding: Finding, clock: RequestClock): Verdict {
  const { checkedAt: at, pickupAt, withdrawAt } = clock;
  const status = finding.kind === 'found' ? finding.booking.status : undefined;
  // What has no number can't be called once it is accepted, so it is not trusted yet.
  if (finding.kind === 'found' && status === 'confirmed' && reservation.confirmationNumber === undefined)
    if (!hasNumber(finding.booking, reservation)) return verdictOnRequest(reservation, { kind: 'unclear' }, clock);
  if (finding.kind === 'found' && status === 'confirmed') return accepted(reservation, finding.booking, at);
  if (status === 'rejected' || (status === 'cancelled' && at < pickupAt)) {
    return { do: 'move', move: { to: 'rejected', reason: 'not accepted by the supplier', at, patch: NEVER } };
  }
  if (at < pickupAt) return { do: 'wait', until: pickupAt };
  if (finding.kind === 'unclear') return unclearRequest(clock);
  if (finding.kind === 'several') return severalActive(finding.bookings.length, at);
  // It would still be accepted, perhaps for a renter who has booked elsewhere.
  if (finding.kind === 'found' && status !== 'cancelled')
    return at < withdrawAt ? { do: 'wait', until: withdrawAt } : openTooLong(finding.booking, at);
  return { do: 'move', move: { to: 'expired', reason: 'not accepted before the pickup', at, patch: NEVER } };
}

/**
 * Resolves a request that was to be withdrawn, from the outcome of that and from what the supplier shows then; `next` is the verdict on
 * it. Many suppliers cancel nothing once the pickup is past, which leaves the request what it was: not accepted in time.
 */
export function verdictOnWithdrawn(
  next: Verdict,
  outcome: Outcome<unknown>,
  { checkedAt: at, reviewAt }: RequestClock,
): Verdict {
  if (next.do !== 'release') return next;
  if (at < reviewAt) return { do: 'wait' };
  if (isKept(outcome)) {
    const kept = "not accepted before the pickup; the supplier doesn't cancel it any more";
    return { do: 'move', move: { to: 'expired', reason: kept, at, patch: NEVER } };
  }
  const reason = 'the request was not accepted before the pickup, and could not be withdrawn from the supplier';
  return { do: 'move', move: { to: 'manual_review', reason, at, patch: NEVER } };
}

/** Whether the supplier refused to cancel a request that it has, or can't cancel. */
function isKept(outcome: Outcome<unknown>): boolean {
  const refusal = outcome.kind === 'not_done' ? outcome.error.refusal : undefined;
  return refusal === 'unsupported_by_supplier' || (isRefused(outcome) && refusal !== 'not_found');
}

/** A request that is open after the pickup is withdrawn, unless the supplier doesn't say that it is open: it may be serving the renter. */
function openTooLong(booking: SupplierBooking, at: number): Verdict {
  if (booking.isStatusAssumed !== true) return { do: 'release', hold: booking };
  const reason = 'the supplier shows the booking after the pickup, and does not state whether it accepted it';
  return { do: 'move', move: { to: 'manual_review', reason, at, patch: NEVER } };
}

function severalActive(count: number, at: number): Verdict {
  const reason = `the supplier shows ${count} active bookings for this reservation`;
  return { do: 'move', move: { to: 'manual_review', reason, at, patch: NEVER } };
}

/**
 * Whether a request is neither open nor accepted under its number. Then the supplier may have it under another one: because it
 * arrived twice, or because the supplier gives accepted requests another number.
 */
export function mayHaveTwin(finding: Finding, verdict: Verdict): boolean {
  if (verdict.do === 'release') return true;
  if (verdict.do === 'move') return verdict.move.to !== 'confirmed';
  return finding.kind !== 'found' || !isActive(finding.booking);
}

/** Resolves such a request from what the supplier shows under its reference; `own` is the verdict by its number. */
export function verdictOnTwin(reservation: Reservation, own: Verdict, twin: Finding, clock: RequestClock): Verdict {
  const { checkedAt: at, pickupAt, withdrawAt } = clock;
  const isRejected = own.do === 'move' && own.move.to === 'rejected';
  // What is rejected is looked up once more by its reference, so a look-up that keeps failing doesn't hide the answer.
  if (twin.kind === 'unclear') return isRejected ? own : unclearRequest(clock);
  if (twin.kind === 'several') return severalActive(twin.bookings.length, at);
  if (twin.kind === 'absent') return own;
  const { booking } = twin;
  if (!isActive(booking)) {
    const isAnswer = isEndOf(reservation, booking) && !isRejected && own.do !== 'release';
    return isAnswer ? verdictOnRequest(reservation, twin, clock) : own;
  }
  const isUsable = hasNumber(booking, reservation);
  if (!isUsable && !isRejected) return unclearRequest(clock);
  const isOwn = isSameCode(booking.confirmationNumber, reservation.confirmationNumber);
  if (booking.status === 'confirmed') {
    if (isUsable && !(isOwn && isRejected)) return accepted(reservation, booking, at);
    const reason = 'the supplier shows the booking as rejected by its number, and as confirmed by its reference';
    return { do: 'move', move: { to: 'manual_review', reason, at, patch: NEVER } };
  }
  if (at >= pickupAt && !isRejected) {
    if (at < withdrawAt) return { do: 'wait', until: withdrawAt };
    return own.do === 'release' ? own : openTooLong(booking, at);
  }
  const reason = 'the supplier has the request under another confirmation number';
  // A supplier may show one of them by number and the other by reference: following each other's number would never end.
  const isFollowed = reservation.history.some((row) => row.reason === reason);
  if (!isUsable || isOwn || isFollowed || at >= pickupAt) return own;
  return { do: 'move', move: { to: 'on_request', reason, at, patch: bookedPatch(reservation, booking) } };
}

/** Whether a booking with the reference of a request is that request, and was declined or cancelled. Its number may be gone. */
function isEndOf(
  { confirmationNumber }: Reservation,
  { status, confirmationNumber: number }: SupplierBooking,
): boolean {
  return status !== 'held' && (number === undefined || isSameCode(number, confirmationNumber));
}

function accepted(reservation: Reservation, booking: SupplierBooking, at: number): Verdict {
  if (isForOtherDates(reservation.rental, booking)) return otherDates(reservation, booking, at);
  const patch = { ...bookedPatch(reservation, booking), ...NEVER };
  return {
    do: 'move',
    move: { to: 'confirmed', reason: reasonBooked('accepted by the supplier', patch.view), at, patch },
  };
}

function unclearRequest({ checkedAt: at, reviewAt }: RequestClock): Verdict {
  if (at < reviewAt) return { do: 'wait' };
  const reason = 'whether the supplier accepted the booking could not be determined';
  return { do: 'move', move: { to: 'manual_review', reason, at, patch: NEVER } };
}
