import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import { countLateBooking } from '../metrics/metrics.js';
import { isSameCode, type SupplierBooking } from '../model/bookings.js';
import { isForOtherDates } from '../suppliers/answers/requested.js';
import type { Supplier } from '../suppliers/registry.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { BookingLookup, canBeAsked } from './booking-lookup.js';
import { bookedPatch } from './booking-outcome.js';
import { requestCancellation } from './cancel.service.js';
import { clockOf, lateCheckAt } from './reconcile-clock.js';
import { activeBookings, isOwnEnded, type Verdict } from './reconcile-rules.js';
import type { Reservation, Stray } from './reservation.js';
import { ReservationRepository } from './reservation.repository.js';
import { isNumber, outcomeOf, refRepeatsCard, repeatsCard } from './supplier-outcome.js';

/**
 * Looks for bookings at suppliers that no reservation accounts for (docs/decisions/0034): the late booking of a failed
 * reservation, and a second booking of one reference. Only suppliers that find bookings by reference can be asked.
 */
@Injectable()
export class StrayChecks {
  constructor(
    private readonly calls: SupplierCalls,
    private readonly lookup: BookingLookup,
    private readonly repository: ReservationRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Looks up a failed booking again, at the times of `lateCheckSeconds`. */
  async findLate(reservation: Reservation, supplier: Supplier): Promise<Verdict> {
    if (!canBeAsked(reservation, supplier)) return { do: 'rest' };
    const times = this.config.reservations;
    const listed = await this.lookup.listed(reservation, supplier);
    const active = listed && activeBookings(listed);
    const at = this.repository.now();
    const [booking] = active ?? [];
    if (booking && active) return this.#late(reservation, booking, active.length, at);
    const next = lateCheckAt(reservation.updatedAt, at, times);
    if (next !== undefined) return { do: 'wait', until: next };
    // The last look must get an answer, for as long as for any unknown outcome.
    const lastAt = reservation.updatedAt + (times.lateCheckSeconds.at(-1) ?? 0) * 1_000;
    return active || at >= lastAt + times.reviewAfterSeconds * 1_000 ? { do: 'rest' } : { do: 'wait' };
  }

  #late(reservation: Reservation, booking: SupplierBooking, count: number, at: number): Verdict {
    countLateBooking(reservation.supplier);
    const patch = { ...bookedPatch(reservation, booking), nextCheckAt: undefined };
    const isMeant =
      count === 1 && patch.confirmationNumber !== undefined && !isForOtherDates(reservation.rental, booking);
    const policy = isMeant ? this.config.reservations.lateBookings : 'review';
    const found = 'the supplier made the booking after it was given up';
    if (policy === 'confirm' && booking.status === 'confirmed')
      return { do: 'move', move: { to: 'confirmed', reason: found, at, patch } };
    if (policy === 'cancel') {
      const reason = `${found}: it is being cancelled`;
      return {
        do: 'move',
        move: { to: 'cancel_unknown', reason, at, patch: { ...patch, nextCheckAt: at, sentUntil: at } },
      };
    }
    if (count > 1) this.lookup.reportSeveral(reservation, count);
    return { do: 'move', move: { to: 'manual_review', reason: found, at, patch } };
  }

  /** Looks for further bookings of a reservation that was confirmed, cancelled or rejected, or has expired, and cancels those marked for it. */
  async findSecond(reservation: Reservation, supplier: Supplier): Promise<Verdict> {
    if (reservation.strays?.some(({ cancel }) => cancel)) return this.#cancelStrays(reservation, supplier);
    if (!canBeAsked(reservation, supplier)) return { do: 'rest' };
    const listed = await this.lookup.listed(reservation, supplier);
    const at = this.repository.now();
    const isLate = at >= clockOf(reservation, at, this.config.reservations).reviewAt;
    if (!listed) {
      if (!isLate) return { do: 'wait' };
      this.lookup.reportUnclear(reservation);
      return { do: 'rest' };
    }
    const shown = activeBookings(listed);
    // A request that the supplier didn't withdraw is still open when it has expired. It is a booking only once it is accepted.
    const active = reservation.state === 'expired' ? shown.filter(({ status }) => status === 'confirmed') : shown;
    if (reservation.state === 'confirmed' && active.length === 0) this.lookup.reportNone(reservation);
    const second = secondOf(reservation, active, listed);
    if (second === 'unclear') {
      this.lookup.reportSeveral(reservation, active.length);
      const what = active.length === 1 ? 'another active booking' : `${active.length} active bookings`;
      const reason = `the supplier shows ${what}, and none with the confirmation number`;
      return { do: 'move', move: { to: 'manual_review', reason, at, patch: { nextCheckAt: undefined } } };
    }
    // A supplier may show a cancelled booking for a while.
    if (second.some(({ number }) => number === reservation.confirmationNumber) && !isLate) return { do: 'wait' };
    if (second.length === 0 && active.length < shown.length && !isLate) return { do: 'wait' };
    const known = new Set(reservation.strays?.map(({ number }) => number));
    if (second.length === 0 || second.every(({ number }) => known.has(number))) return { do: 'rest' };
    this.lookup.reportSeveral(reservation, active.length);
    const cancel = this.config.reservations.secondBookings === 'cancel';
    return {
      do: 'move',
      move: {
        to: reservation.state,
        reason: `the supplier shows ${second.length} more active ${second.length === 1 ? 'booking' : 'bookings'} of this reservation`,
        at,
        patch: { strays: second.map((stray) => ({ ...stray, cancel })), nextCheckAt: cancel ? at : undefined },
      },
    };
  }

  async #cancelStrays(reservation: Reservation, supplier: Supplier): Promise<Verdict> {
    const left: Stray[] = [];
    let isOpen = false;
    const begunAt = this.repository.now();
    const isLate = begunAt >= clockOf(reservation, begunAt, this.config.reservations).reviewAt;
    for (const stray of reservation.strays ?? []) {
      if (!stray.cancel) {
        left.push(stray);
        continue;
      }
      if (await this.repository.isOfAnother(reservation, stray.number)) {
        left.push({ ...stray, cancel: false });
        continue;
      }
      const rental = { ...reservation.rental, ref: stray.ref };
      const booking = { ...reservation, rental, confirmationNumber: stray.number };
      const outcome = await outcomeOf(
        requestCancellation(this.calls, supplier, booking, this.lookup.contextFor(reservation)),
      );
      const isGone = outcome.kind === 'done' || (outcome.kind === 'not_done' && outcome.error.refusal === 'not_found');
      if (isGone) continue;
      // A refusal will not change, and what stays unclear for long won't either: an operator decides.
      const isRefused = isLate || (outcome.kind === 'not_done' && outcome.error.fault === 'rejected');
      left.push(isRefused ? { ...stray, cancel: false } : stray);
      isOpen ||= !isRefused;
    }
    const at = this.repository.now();
    if (isOpen && left.length === reservation.strays?.length) return { do: 'wait' };
    const reason = left.some(({ cancel }) => !cancel)
      ? 'a further booking of this reservation could not be cancelled at the supplier'
      : 'further bookings of this reservation were cancelled at the supplier';
    const patch = { strays: left.length === 0 ? undefined : left, nextCheckAt: isOpen ? at : undefined };
    return { do: 'move', move: { to: reservation.state, reason, at, patch } };
  }
}

/**
 * The active bookings besides the reservation's own, if they can be named. `unclear`: there are several, and none can be
 * recognized as its own, so that none may be cancelled.
 */
function secondOf(
  reservation: Reservation,
  active: readonly SupplierBooking[],
  listed: readonly SupplierBooking[],
): Stray[] | 'unclear' {
  const isOwn = ({ confirmationNumber }: SupplierBooking): boolean =>
    reservation.state === 'confirmed' && isSameCode(confirmationNumber, reservation.confirmationNumber);
  // A single booking is the reservation's own, even if the supplier writes its number in another way. None at all proves nothing:
  // a copy of the supplier's data may be behind, and the renter may have cancelled at the desk.
  const isEnded = isOwnEnded(reservation.confirmationNumber, listed);
  if (reservation.state === 'confirmed' && active.length <= (isEnded ? 0 : 1)) return [];
  if (reservation.state === 'confirmed' && active.filter(isOwn).length !== 1) return 'unclear';
  return active.flatMap((booking) => {
    const { confirmationNumber: number, ref } = booking;
    if (isOwn(booking) || !isNumber(number)) return [];
    if (repeatsCard(number, reservation.payment) || refRepeatsCard(ref, reservation.payment)) return [];
    return [{ number, ref: { ...reservation.rental.ref, ...ref } }];
  });
}
