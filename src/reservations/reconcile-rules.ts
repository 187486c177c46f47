import type { SupplierBooking } from '../model/bookings.js';
import { causeOf } from '../suppliers/outcome.js';
import { bookedPatch } from './booking-outcome.js';
import type { Move, Reservation } from './reservation.js';
import { isNumber, type Outcome } from './supplier-outcome.js';

/** What a look at the supplier's book showed. `unclear` = it could not be read. */
export type Finding =
  | { readonly kind: 'found'; readonly booking: SupplierBooking }
  | { readonly kind: 'absent' }
  | { readonly kind: 'several'; readonly count: number }
  | { readonly kind: 'unclear' };

/** What to do next: move, release an abandoned hold first, or look again later (at the latest `until`, epoch milliseconds). */
export type Verdict =
  | { readonly do: 'move'; readonly move: Omit<Move, 'actor'> }
  | { readonly do: 'release'; readonly hold: SupplierBooking }
  | { readonly do: 'wait'; readonly until?: number };

/** Times that decide, epoch milliseconds. */
export interface Clock {
  /** When the look began. */
  readonly lookedAt: number;
  /** Until when the supplier may still carry out what was sent: before, "not found" proves nothing. */
  readonly settledAt: number;
  /** When a person must take over. */
  readonly reviewAt: number;
}

const NEVER = { nextCheckAt: undefined };

/** Clears a booking whose answer was lost (ruling 15). Never books again: it only believes what the supplier shows. */
export function verdictOnBooking(reservation: Reservation, finding: Finding, clock: Clock): Verdict {
  const at = clock.lookedAt;
  const review = (reason: string): Verdict => ({ do: 'move', move: { to: 'manual_review', reason, at, patch: NEVER } });
  const failed = (reason: string): Verdict => ({ do: 'move', move: { to: 'failed', reason, at, patch: NEVER } });
  switch (finding.kind) {
    case 'several':
      return review(`the supplier shows ${finding.count} active bookings of this reservation`);
    case 'unclear':
      return at >= clock.reviewAt ? review('the supplier could not be asked in time') : { do: 'wait' };
    case 'absent':
      return at >= clock.settledAt
        ? failed('the supplier has no such booking')
        : { do: 'wait', until: clock.settledAt };
    case 'found':
      // A booking that cannot be named cannot be cancelled either: not to be believed yet.
      if (isActive(finding.booking) && !isNumber(finding.booking.confirmationNumber))
        return verdictOnBooking(reservation, { kind: 'unclear' }, clock);
      return verdictOnFound(reservation, finding.booking, at, failed);
  }
}

/** Whether a supplier's booking gives the renter a car, now or once it is accepted. */
export function isActive({ status }: SupplierBooking): boolean {
  return status === 'confirmed' || status === 'on_request';
}

function verdictOnFound(
  reservation: Reservation,
  booking: SupplierBooking,
  at: number,
  failed: (reason: string) => Verdict,
): Verdict {
  switch (booking.status) {
    case 'held':
      return { do: 'release', hold: booking };
    case 'cancelled':
      return failed('the supplier shows the booking as cancelled');
    case 'rejected':
      return failed('the supplier did not accept the booking');
    case 'on_request':
      // Looked at again as a request: the next look comes by the back-off.
      return {
        do: 'move',
        move: {
          to: 'on_request',
          reason: 'found at the supplier, on request',
          at,
          patch: bookedPatch(reservation, booking),
        },
      };
    case 'confirmed': {
      const patch = { ...bookedPatch(reservation, booking), ...NEVER };
      return { do: 'move', move: { to: 'confirmed', reason: 'found at the supplier', at, patch } };
    }
  }
}

/** What has become of a request that the supplier accepts by hand; one that cannot be asked about is left. `pickupAt` epoch milliseconds. */
export function verdictOnRequest(reservation: Reservation, finding: Finding, at: number, pickupAt: number): Verdict {
  const status = finding.kind === 'found' ? finding.booking.status : undefined;
  if (finding.kind === 'found' && status === 'confirmed') {
    const patch = { ...bookedPatch(reservation, finding.booking), ...NEVER };
    return { do: 'move', move: { to: 'confirmed', reason: 'accepted by the supplier', at, patch } };
  }
  if (status === 'rejected' || status === 'cancelled') {
    return { do: 'move', move: { to: 'rejected', reason: 'not accepted by the supplier', at, patch: NEVER } };
  }
  if (at < pickupAt || finding.kind === 'unclear') return { do: 'wait' };
  return { do: 'move', move: { to: 'expired', reason: 'not accepted before the pickup', at, patch: NEVER } };
}

/** Clears a cancellation whose answer was lost, by what asking once more gave; `cancelled` is the move that outcome makes. */
export function verdictOnCancel(
  outcome: Outcome<unknown>,
  cancelled: Omit<Move, 'actor'>,
  { lookedAt: at, settledAt, reviewAt }: Clock,
): Verdict {
  if (outcome.kind === 'done')
    return { do: 'move', move: { ...cancelled, reason: 'cancelled, after asking once more' } };
  const { error } = outcome;
  if (error.refusal === 'not_found') {
    const reason = 'the supplier knows no such booking: it may be cancelled';
    return { do: 'move', move: { to: 'manual_review', reason, at, patch: NEVER } };
  }
  if (outcome.kind === 'not_done' && error.fault === 'rejected') {
    // A no means "as before" only once the first request cannot be carried out late.
    return at < settledAt ? { do: 'wait', until: settledAt } : { do: 'move', move: cancelled };
  }
  if (at < reviewAt) return { do: 'wait' };
  const reason = `the cancellation could not be cleared: ${causeOf(error.fault)}`;
  return { do: 'move', move: { to: 'manual_review', reason, at, patch: NEVER } };
}
