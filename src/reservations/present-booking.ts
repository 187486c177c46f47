import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { RequestContext } from '../context/request-context.js';
import type { ChangeKind, SupplierBooking } from '../model/bookings.js';
import { SupplierError } from '../model/supplier.js';
import { faultProblem, refusalProblem } from '../offers/refusal.js';
import { ApiError } from '../status/api-error.js';
import type { Supplier } from '../suppliers/registry.js';
import { laterView, reasonBooked, statedBy, undoneBy } from './booked-differences.js';
import { BookingLookup } from './booking-lookup.js';
import { bookedPatch, renumberedPatch } from './booking-outcome.js';
import { changedMeanwhile } from './change-guard.js';
import { shownAt } from './reconcile-clock.js';
import type { Change, Reservation } from './reservation.js';
import { ReservationRepository } from './reservation.repository.js';
import { ReservationWriter } from './reservation-writer.js';
import { timeBefore } from './write-window.js';

/**
 * Most suppliers get a change as the complete booking, which sets the dates, places and car as they are stored here: it would undo what
 * their staff changed for the renter meanwhile. So the booking is looked up before (docs/decisions/0097).
 */
@Injectable()
export class PresentBooking {
  constructor(
    private readonly lookup: BookingLookup,
    private readonly writer: ReservationWriter,
    private readonly repository: ReservationRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * What the supplier now has, before a change is sent. Undefined if the supplier doesn't show its bookings, or nothing of the change could
   * be seen in them. Throws ApiError 500 if the look-up fails, 408 if there is no time for it, 400 if it shows the booking cancelled; not for a new rental, which undoes nothing
   * that its caller didn't replace: what is shown then only proves later whether it was booked. `betweenMs`: the time that calls between it
   * and the change may take.
   */
  async beforeChange(
    reservation: Reservation,
    change: Pick<Change, 'kinds' | 'personal'>,
    supplier: Supplier,
    context: RequestContext,
    betweenMs = 0,
  ): Promise<SupplierBooking | undefined> {
    const isRequired = mayUndo(change, supplier);
    const isRental = change.kinds.includes('rental') && supplier.connection.adapter.retrieve !== undefined;
    if (!isRequired && !isRental) return undefined;
    try {
      const laterMs = supplier.config.timeoutMs.modify + betweenMs;
      const timeoutMs = timeBefore(context, laterMs, this.config.reservations.budgetMs);
      const booking = await this.lookup.present(reservation, supplier, context, { timeoutMs, isForChange: isRequired });
      if (booking?.status !== 'cancelled') return booking;
      this.lookup.reportNone(reservation);
      throw cancelledThere(supplier);
    } catch (error) {
      if (!isRequired && (error instanceof SupplierError || error instanceof ApiError)) return undefined;
      if (!(error instanceof SupplierError)) throw error;
      const problem = faultProblem(error, supplier);
      const details = `${problem.details} Your change wasn't sent, because ${supplier.name} must first show what is booked now. ${nextStep(error, supplier)}`;
      throw new ApiError([{ ...problem, details }], {}, { cause: error });
    }
  }

  /**
   * The reservation with what the supplier has otherwise, which is stored if it is new. Throws ApiError 400 (cause booked_differently)
   * naming it if the change would undo it, or version_mismatch if another request has changed the reservation; 500 if the supplier may not yet
   * show what was booked or changed last.
   */
  async refuseUndoing(
    reservation: Reservation,
    kinds: readonly ChangeKind[],
    supplier: Supplier,
    booking: SupplierBooking | undefined,
  ): Promise<Reservation> {
    if (!booking) return reservation;
    const view = laterView(reservation, booking);
    const undone = undoneBy(kinds, view);
    const leftMs = shownAt(reservation, this.config.reservations, supplier.config) - this.repository.now();
    if (leftMs > 0 && undone.some((name) => !reservation.view.changed_later?.includes(name)))
      throw notSettled(supplier, undone, leftMs);
    // What is shown so early may be from before, so nothing of it is stored.
    if (leftMs > 0 && undone.length === 0) return reservation;
    const renumbered = renumberedPatch(reservation, booking);
    const known =
      isDeepStrictEqual(view, reservation.view) && !renumbered
        ? reservation
        : await this.writer.move(reservation, {
            to: reservation.state,
            actor: 'gateway',
            reason: reasonBooked('looked up before a change', view),
            at: this.repository.now(),
            patch: { view, priceDrift: bookedPatch(reservation, booking).priceDrift, ...renumbered },
          });
    if (!known) throw changedMeanwhile();
    // What the supplier states is stored with the change.
    if (undone.length === 0) return { ...known, rental: { ...known.rental, stated: statedBy(known, booking) } };
    const { id, name } = supplier;
    const details = `${name} has this booking with another ${undone.join(', ')} than the reservation: it was changed there, and your change would undo that. Nothing was changed. "booked_differently" of the reservation says what is booked. Send PUT with an offer for the rental that the renter wants, then repeat this change; or let ${name} make it.`;
    throw ApiError.of('invalid_request', details, { cause: 'booked_differently', supplier: id });
  }
}

function cancelledThere(supplier: Supplier): ApiError {
  const { name } = supplier;
  const details = `${name} shows this booking as cancelled. Nothing was changed. Ask ${name} about it; if the renter still needs a car, cancel the reservation and create a new one.`;
  return new ApiError([{ ...refusalProblem('not_changeable', supplier), details }]);
}

/** What to do after a look-up that failed. An answer that can't be read, or credentials that don't suffice, may stay so. */
function nextStep({ fault }: SupplierError, { name }: Supplier): string {
  if (fault !== 'bad_payload' && fault !== 'auth') return 'Retry in a minute.';
  return `Retry once in a minute. If it fails in the same way, further attempts won't help: let ${name} make the change, and inform the operator of the gateway.`;
}

/** The error if a supplier shows a booking otherwise so soon after it was sent one that this may be the state before. */
function notSettled({ id, name }: Supplier, undone: readonly string[], leftMs: number): ApiError {
  const details = `${name} shows this booking with another ${undone.join(', ')} than the reservation, but may not yet show what it was sent last. Nothing was changed. Retry in ${Math.ceil(leftMs / 1_000)} seconds: a difference that is left then was made at ${name}.`;
  return ApiError.of('supplier_failure', details, { cause: 'unavailable', supplier: id });
}

/** Whether a change of something else sets the rental as it is stored here, at a supplier that shows its bookings. */
export function mayUndo(
  { kinds, personal: { arrival } }: Pick<Change, 'kinds' | 'personal'>,
  { connection: { adapter } }: Supplier,
): boolean {
  if (kinds.includes('rental') || !adapter.retrieve) return false;
  return adapter.booking?.restates?.({ changes: kinds, ...(arrival ? { arrival } : {}) }) ?? true;
}
