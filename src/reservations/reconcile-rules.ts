import { isDeepStrictEqual } from 'node:util';
import { isSameCode, type SupplierBooking } from '../model/bookings.js';
import { isForOtherDates } from '../suppliers/answers/requested.js';
import { causeOf } from '../suppliers/outcome.js';
import { awaitsExtras, knownDates, laterView, reasonBooked } from './booked-differences.js';
import { bookedPatch, renumberedPatch } from './booking-outcome.js';
import type { Move, Reservation } from './reservation.js';
import type { State } from './states.js';
import { isNumber, isRefused, type Outcome, repeatsCard } from './supplier-outcome.js';

/** What the supplier returned for a reservation. `unclear` = the booking could not be retrieved. */
export type Finding =
  | { readonly kind: 'found'; readonly booking: SupplierBooking }
  | { readonly kind: 'absent' }
  | { readonly kind: 'several'; readonly bookings: readonly SupplierBooking[] }
  | { readonly kind: 'unclear' };

/**
 * What to do next: move, have the supplier cancel an abandoned hold or a request that comes too late first, check again later (no
 * later than `until`, epoch milliseconds), or check no more.
 */
export type Verdict =
  | { readonly do: 'move'; readonly move: Omit<Move, 'actor'> }
  | { readonly do: 'release'; readonly hold: SupplierBooking }
  | { readonly do: 'wait'; readonly until?: number }
  | { readonly do: 'rest' };

/** The times that decide a verdict, in epoch milliseconds. */
export interface Clock {
  /** When the check started. */
  readonly checkedAt: number;
  /** Until when a sent request may still take effect; before that, "not found" proves nothing. */
  readonly settledAt: number;
  /** When the reservation goes to manual review. */
  readonly reviewAt: number;
  /** When the booking is looked up again if it fails now; undefined = never. */
  readonly lateCheckAt: number | undefined;
}

/** The patch of a move after which nothing is checked. */
export const NEVER = { nextCheckAt: undefined };

/**
 * Resolves a booking whose answer was lost (ruling 15). Never books again: it relies only on what the supplier returns.
 */
export function verdictOnBooking(reservation: Reservation, finding: Finding, clock: Clock): Verdict {
  const at = clock.checkedAt;
  const review = (reason: string): Verdict => ({ do: 'move', move: { to: 'manual_review', reason, at, patch: NEVER } });
  const failed = (reason: string): Verdict => ({
    do: 'move',
    move: { to: 'failed', reason, at, patch: { nextCheckAt: clock.lateCheckAt, checks: 0 } },
  });
  switch (finding.kind) {
    case 'several':
      return review(`the supplier shows ${finding.bookings.length} active bookings for this reservation`);
    case 'unclear':
      return at >= clock.reviewAt ? review('the supplier could not be reached in time') : { do: 'wait' };
    case 'absent':
      if (at < clock.settledAt) return { do: 'wait', until: clock.settledAt };
      return reservation.confirmationNumber === undefined
        ? failed('the supplier has no such booking')
        : review('the supplier shows no booking with the confirmation number that it gave');
    case 'found':
      // A booking without a confirmation number could not be cancelled, so it is not trusted yet.
      if (isActive(finding.booking) && !hasNumber(finding.booking, reservation))
        return verdictOnBooking(reservation, { kind: 'unclear' }, clock);
      return verdictOnFound(reservation, finding.booking, clock, failed);
  }
}

/** Resolves a booking whose hold was to be released from what the supplier shows then: a hold that is gone may be a booking. */
export function verdictOnReleased(reservation: Reservation, finding: Finding, clock: Clock): Verdict {
  const verdict = verdictOnBooking(reservation, finding, clock);
  if (verdict.do !== 'release') return verdict;
  if (clock.checkedAt < clock.reviewAt) return { do: 'wait' };
  const reason = 'the supplier still has the hold, which could not be released';
  return { do: 'move', move: { to: 'manual_review', reason, at: clock.checkedAt, patch: NEVER } };
}

/**
 * Whether a supplier's booking has a number by which it can be called, and which isn't the card's. A request may have none until it is accepted:
 * it is called by its reference.
 */
export function hasNumber(
  { status, confirmationNumber, reference }: SupplierBooking,
  { id, confirmationNumber: known, payment }: Reservation,
): boolean {
  if (confirmationNumber === undefined) return status === 'on_request' && known === undefined && reference === id;
  return isNumber(confirmationNumber) && !repeatsCard(confirmationNumber, payment);
}

/** The active bookings, one per confirmation number: a supplier may list one booking in several rows. */
export function activeBookings(bookings: readonly SupplierBooking[]): readonly SupplierBooking[] {
  const seen = new Set<string>();
  return bookings.filter((booking) => {
    const number = booking.confirmationNumber?.toUpperCase();
    if (!isActive(booking) || (number !== undefined && seen.has(number))) return false;
    if (number !== undefined) seen.add(number);
    return true;
  });
}

/**
 * Whether a supplier lists a reservation's own number, and not as active. Then an active booking with its reference is another
 * one. If the number isn't listed, the supplier may only write it in another way.
 */
export function isOwnEnded(number: string | undefined, bookings: readonly SupplierBooking[]): boolean {
  const own = bookings.filter(({ confirmationNumber }) => isSameCode(confirmationNumber, number));
  return own.length > 0 && !own.some(isActive);
}

/** Whether a booking gives the renter a car, now or once the supplier accepts it. */
export function isActive({ status }: SupplierBooking): boolean {
  return status === 'confirmed' || status === 'on_request';
}

function verdictOnFound(
  reservation: Reservation,
  booking: SupplierBooking,
  { checkedAt: at, settledAt }: Clock,
  failed: (reason: string) => Verdict,
): Verdict {
  if (isActive(booking) && isForOtherDates(reservation.rental, booking)) return otherDates(reservation, booking, at);
  switch (booking.status) {
    case 'held':
      // Its confirmation may still take effect.
      return at >= settledAt ? { do: 'release', hold: booking } : { do: 'wait', until: settledAt };
    case 'cancelled':
      return failed('the supplier shows the booking as cancelled');
    case 'rejected':
      return failed('the supplier did not accept the booking');
    case 'on_request': {
      // It is now checked as a request, with the backoff starting over.
      const patch = bookedPatch(reservation, booking);
      const reason = reasonBooked('found at the supplier, on request', patch.view);
      return { do: 'move', move: { to: 'on_request', reason, at, patch } };
    }
    case 'confirmed': {
      const patch = { ...bookedPatch(reservation, booking), ...NEVER };
      const reason = reasonBooked('found at the supplier', patch.view);
      return { do: 'move', move: { to: 'confirmed', reason, at, patch } };
    }
  }
}

/**
 * What a look-up of a confirmed booking says of extras that weren't confirmed with it. Undefined = it shows no such booking. `nextCheckAt`:
 * when it is looked up again if some still aren't.
 */
export function verdictOnExtras(
  reservation: Reservation,
  booking: SupplierBooking | undefined,
  at: number,
  nextCheckAt: number,
): Verdict {
  if (!booking || !isActive(booking)) return { do: 'wait' };
  const { extras, extraNotices } = booking;
  // An extra that was booked, and is missing now, was removed by the supplier's staff.
  const view = laterView(reservation, { ...(extras && { extras }), ...(extraNotices && { extraNotices }) });
  const renumbered = renumberedPatch(reservation, booking);
  const isKnown = isDeepStrictEqual(view.booked_differently, reservation.view.booked_differently);
  if (isKnown && !renumbered) return { do: 'wait' };
  const reason = reasonBooked('the supplier shows the extras', view);
  const isOpen = awaitsExtras({ state: 'confirmed', view });
  return {
    do: 'move',
    move: { to: 'confirmed', reason, at, patch: { view, ...renumbered, ...(isOpen ? { nextCheckAt } : NEVER) } },
  };
}

/** The renter would come at another time than the car is booked for: that isn't what was accepted (ruling 30). */
export function otherDates(reservation: Reservation, booking: SupplierBooking, at: number): Verdict {
  const reason = 'the supplier shows the booking for other dates than requested';
  const patch = { ...bookedPatch(reservation, booking), ...NEVER };
  return { do: 'move', move: { to: 'manual_review', reason, at, patch } };
}

/**
 * Resolves a cancellation whose answer was lost from the outcome of repeating it; `cancelled` is the move for that
 * outcome. A refusal of the repeated request doesn't reveal the outcome of the first: suppliers also refuse because the booking
 * is already cancelled. Then `finding` decides, which is what the supplier showed after the refusal.
 */
export function verdictOnCancel(
  reservation: Reservation,
  outcome: Outcome<unknown>,
  finding: Finding,
  cancelled: Omit<Move, 'actor'>,
  { checkedAt: at, settledAt, reviewAt }: Clock,
): Verdict {
  const review = (reason: string): Verdict => ({ do: 'move', move: { to: 'manual_review', reason, at, patch: NEVER } });
  if (outcome.kind === 'done') return { do: 'move', move: { ...cancelled, reason: 'cancelled by a repeated request' } };
  const { error } = outcome;
  const refused = isRefused(outcome);
  if (refused && finding.kind === 'found' && ['cancelled', 'rejected'].includes(finding.booking.status)) {
    const reason = `the supplier shows the booking as ${finding.booking.status}`;
    const patch = { cancellation: { at: cancelled.at }, change: undefined, ...NEVER };
    return { do: 'move', move: { to: 'cancelled', reason, at: cancelled.at, patch } };
  }
  if (error.refusal === 'not_found') return review('the supplier has no such booking: it may be cancelled');
  if (refused && finding.kind !== 'unclear') {
    // What is still active is unchanged only once the first request can no longer take effect late.
    if (at < settledAt) return { do: 'wait', until: settledAt };
    if (finding.kind === 'found' && isActive(finding.booking)) {
      const doubt = doubtOnRefused(reservation, finding.booking);
      return doubt === undefined ? { do: 'move', move: cancelled } : review(`${cancelled.reason}; ${doubt}`);
    }
    const shown = finding.kind === 'several' ? `${finding.bookings.length} active bookings` : 'no such booking';
    return review(`the supplier refused a repeated cancellation and shows ${shown}`);
  }
  if (at < reviewAt) return { do: 'wait' };
  return review(`the outcome of the cancellation could not be determined: ${causeOf(error.fault)}`);
}

/**
 * Why a booking whose cancellation was refused isn't simply what it was before: it was in doubt already, or the supplier shows
 * something else. Undefined = it is.
 */
function doubtOnRefused(reservation: Reservation, booking: SupplierBooking): string | undefined {
  const before = stateBeforeCancel(reservation);
  if (before !== 'confirmed' && before !== 'on_request') return `it was ${before ?? 'unclear'} before`;
  if (isForOtherDates(knownDates(reservation), booking))
    return 'the supplier shows the booking for other dates than are known';
  if (booking.mayBeCancelled) return 'the supplier shows the number of a cancellation';
  // The next check finds a request that was accepted meanwhile.
  return before === 'confirmed' && booking.status === 'on_request' ? 'the supplier shows it as on request' : undefined;
}

/** Moves for reservations whose gateway exited mid-call: the call may have been sent. */
export const ORPHANS: Readonly<
  Partial<Record<Reservation['state'], { readonly to: Reservation['state']; readonly reason: string }>>
> = {
  pending: { to: 'unknown', reason: 'the gateway stopped before the supplier answered' },
  modify_pending: { to: 'unknown', reason: 'the gateway stopped before the supplier answered the change' },
  cancel_pending: { to: 'cancel_unknown', reason: 'the gateway stopped before the supplier answered the cancellation' },
};

/**
 * The state in which the last cancellation of a reservation started: an operator cancels in manual_review, and the gateway what
 * failed and was booked late. Undefined = the rows that are kept don't show it.
 */
export function stateBeforeCancel({ history }: Reservation): State | undefined {
  return history.findLast(({ from, to }) => CANCELLING.includes(to) && !(from && CANCELLING.includes(from)))?.from;
}

const CANCELLING: readonly State[] = ['cancel_pending', 'cancel_unknown'];
