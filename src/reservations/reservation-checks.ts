import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { SupplierBooking } from '../model/bookings.js';
import { SupplierError } from '../model/supplier.js';
import { type Supplier, SupplierRegistry } from '../suppliers/registry.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { awaitsExtras, laterView, reasonBooked, undoneBy } from './booked-differences.js';
import { BookingLookup, canBeAsked } from './booking-lookup.js';
import { renumberedPatch } from './booking-outcome.js';
import { cancelMove, requestCancellation } from './cancel.service.js';
import { changeMove, requestChange } from './change-outcome.js';
import { IntentJournal } from './intent-journal.js';
import { mayUndo } from './present-booking.js';
import { clockOf, nextCheck, shownAt } from './reconcile-clock.js';
import {
  type Clock,
  type Finding,
  isActive,
  stateBeforeCancel,
  type Verdict,
  verdictOnBooking,
  verdictOnCancel,
  verdictOnExtras,
  verdictOnReleased,
} from './reconcile-rules.js';
import { renterComesAt } from './rental-moments.js';
import {
  mayHaveTwin,
  type RequestClock,
  verdictOnRequest,
  verdictOnTwin,
  verdictOnWithdrawn,
} from './request-rules.js';
import type { Change, Move, Patch, Reservation } from './reservation.js';
import { ReservationRepository } from './reservation.repository.js';
import { shownOfChange } from './shown-change.js';
import { hasEnded, isLookedUpAgain } from './states.js';
import { StrayChecks } from './stray-checks.js';
import { isRefused, type Outcome, outcomeOf } from './supplier-outcome.js';

const NOT_OWN: Outcome<never> = {
  kind: 'not_done',
  error: new SupplierError('rejected', 'the number is that of another reservation', false),
};

/** Finds out from the suppliers what became of reservations (docs/reliability.md). It stores nothing but repeated calls. */
@Injectable()
export class ReservationChecks {
  constructor(
    private readonly registry: SupplierRegistry,
    private readonly calls: SupplierCalls,
    private readonly lookup: BookingLookup,
    private readonly strays: StrayChecks,
    @Inject(IntentJournal) private readonly journal: Pick<IntentJournal, 'isBehind'>,
    private readonly repository: ReservationRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Asks the supplier and decides what happens to the reservation. Undefined = its state needs no check. Throws only
   * errors of the gateway.
   */
  async verdict(reservation: Reservation): Promise<Verdict | undefined> {
    const supplier = this.registry.byId(reservation.supplier);
    if (!supplier) return this.#withoutSupplier(reservation);
    if (reservation.state === 'on_request') return this.#checkRequest(reservation, supplier);
    if (writesAgain(reservation) && (await this.journal.isBehind(reservation))) return this.#outdated();
    if (reservation.state === 'cancel_unknown') return this.#cancelAgain(reservation, supplier);
    if (reservation.state === 'failed') return this.strays.findLate(reservation, supplier);
    if (isLookedUpAgain(reservation.state)) {
      const verdict = await this.strays.findSecond(reservation, supplier);
      return verdict.do === 'rest' && awaitsExtras(reservation) ? this.#findExtras(reservation, supplier) : verdict;
    }
    if (reservation.state !== 'unknown') return undefined;
    return reservation.change ? this.#changeAgain(reservation, supplier) : this.#findBooking(reservation, supplier);
  }

  async #findBooking(reservation: Reservation, supplier: Supplier): Promise<Verdict> {
    const checkedAt = this.repository.now();
    const { confirmationNumber, personal } = reservation;
    if (confirmationNumber === undefined && !canBeAsked(reservation, supplier)) {
      const lacks = personal === undefined ? "the renter's name" : 'its confirmation number';
      const reason = `${supplier.name} cannot find a booking without ${lacks}`;
      return { do: 'move', move: { to: 'manual_review', reason, at: checkedAt, patch: { nextCheckAt: undefined } } };
    }
    const finding = await this.lookup.find(reservation, supplier);
    const clock = (at: number): Clock => clockOf(reservation, at, this.config.reservations, supplier.config);
    const verdict = verdictOnBooking(reservation, finding, clock(checkedAt));
    if (verdict.do !== 'release') return verdict;
    if (await this.journal.isBehind(reservation)) return this.#outdated();
    // A hold that was never confirmed and is no longer needed.
    await this.#release(verdict.hold, reservation, supplier);
    const left = await this.lookup.find(reservation, supplier);
    return verdictOnReleased(reservation, left, clock(this.repository.now()));
  }

  /** Asks the supplier to cancel a hold or an open request. What became of it is looked up afterwards, whatever it answers. */
  async #release(hold: SupplierBooking, reservation: Reservation, supplier: Supplier): Promise<Outcome<unknown>> {
    const { rental } = reservation;
    const { confirmationNumber = reservation.confirmationNumber } = hold;
    const isOwn = confirmationNumber === undefined || confirmationNumber === reservation.confirmationNumber;
    if (!isOwn && (await this.repository.isOfAnother(reservation, confirmationNumber))) return NOT_OWN;
    const booking = {
      ...reservation,
      ...(confirmationNumber === undefined ? {} : { confirmationNumber }),
      rental: { ...rental, ref: { ...rental.ref, ...hold.ref } },
    };
    return outcomeOf(requestCancellation(this.calls, supplier, booking, this.lookup.contextFor(reservation)));
  }

  async #checkRequest(reservation: Reservation, supplier: Supplier): Promise<Verdict> {
    // Checks are planned in real time, in which the pickup comes sooner the further the test clock is ahead.
    const aheadMs = this.lookup.contextFor(reservation).clockAheadMs;
    const pickupAt = renterComesAt(reservation) - aheadMs;
    const graceMs = this.config.reservations.reviewAfterSeconds * 1_000;
    const withdrawAt = pickupAt + graceMs;
    const reviewAt = Math.max(reservation.updatedAt - aheadMs, withdrawAt) + graceMs;
    const clock = (): RequestClock => ({ checkedAt: this.repository.now(), pickupAt, withdrawAt, reviewAt });
    const verdict = await this.#lookUpRequest(reservation, supplier, clock);
    if (verdict.do !== 'release') return verdict;
    if (await this.journal.isBehind(reservation)) return this.#outdated();
    const outcome = await this.#release(verdict.hold, reservation, supplier);
    return verdictOnWithdrawn(await this.#lookUpRequest(reservation, supplier, clock), outcome, clock());
  }

  async #lookUpRequest(reservation: Reservation, supplier: Supplier, clock: () => RequestClock): Promise<Verdict> {
    const finding = await this.lookup.find(reservation, supplier);
    const verdict = verdictOnRequest(reservation, finding, clock());
    if (!mayHaveTwin(finding, verdict) || !canBeAsked(reservation, supplier)) return verdict;
    const isByReference = reservation.confirmationNumber === undefined;
    const twin = isByReference ? finding : await this.lookup.findByReference(reservation, supplier);
    return verdictOnTwin(reservation, verdict, twin, clock());
  }

  /** Until the pickup, the supplier may still confirm an extra, or refuse it. */
  async #findExtras(reservation: Reservation, supplier: Supplier): Promise<Verdict> {
    const context = this.lookup.contextFor(reservation);
    const until = renterComesAt(reservation) - context.clockAheadMs;
    if (this.repository.now() >= until || !supplier.connection.adapter.retrieve) return { do: 'rest' };
    // Before, the supplier may show the extras from before a change.
    const settledAt = shownAt(reservation, this.config.reservations, supplier.config);
    if (this.repository.now() < settledAt) return { do: 'wait', until: settledAt };
    try {
      const booking = await this.lookup.present(reservation, supplier, context);
      const at = this.repository.now();
      const next = nextCheck(reservation, { do: 'wait', until }, at, this.config.reservations);
      const verdict = verdictOnExtras(reservation, booking, at, next);
      return verdict.do === 'wait' ? { do: 'wait', until } : verdict;
    } catch (error) {
      if (!(error instanceof SupplierError)) throw error;
      return { do: 'wait', until };
    }
  }

  async #cancelAgain(reservation: Reservation, supplier: Supplier): Promise<Verdict> {
    const checkedAt = this.repository.now();
    const outcome = await outcomeOf(
      requestCancellation(this.calls, supplier, reservation, this.lookup.contextFor(reservation)),
    );
    const at = this.repository.now();
    const finding: Finding = isRefused(outcome) ? await this.lookup.find(reservation, supplier) : { kind: 'unclear' };
    if (outcome.kind === 'unknown') await this.repository.sentAgain(reservation, at);
    const before = stateBeforeCancel(reservation) === 'on_request' ? 'on_request' : 'confirmed';
    const move = cancelMove(outcome, before, at, this.config.reservations.firstCheckMs);
    const clock = clockOf(reservation, checkedAt, this.config.reservations, supplier.config);
    return verdictOnCancel(reservation, outcome, finding, move, clock);
  }

  async #changeAgain(reservation: Reservation, supplier: Supplier): Promise<Verdict> {
    const { change } = reservation;
    if (!change) return { do: 'wait' };
    if (change.isAwaited) return this.#lookUpChange(reservation, supplier, change);
    const { settledAt, reviewAt } = clockOf(
      reservation,
      this.repository.now(),
      this.config.reservations,
      supplier.config,
    );
    // Resend only once the first request can no longer take effect late: it would undo changes made after this one is
    // resolved.
    if (this.repository.now() < settledAt) return { do: 'wait', until: settledAt };
    const shown = await this.#shownBefore(reservation, supplier, change, reviewAt);
    if ('do' in shown) return shown;
    const verdict = await this.#requestAgain(shown, supplier, change, reviewAt);
    if (verdict.do !== 'move' || shown === reservation) return verdict;
    const { confirmationNumber, rental } = shown;
    return { do: 'move', move: { ...verdict.move, patch: { confirmationNumber, rental, ...verdict.move.patch } } };
  }

  async #requestAgain(
    reservation: Reservation,
    supplier: Supplier,
    change: Change,
    reviewAt: number,
  ): Promise<Verdict> {
    const outcome = await outcomeOf(
      requestChange(this.calls, supplier, reservation, change, this.lookup.contextFor(reservation)),
    );
    const at = this.repository.now();
    if (outcome.kind === 'done') return { do: 'move', move: this.#changed(outcome, reservation, change) };
    if (isRefused(outcome)) return this.#lookUpChange(reservation, supplier, change, outcome);
    if (at < reviewAt) {
      if (outcome.error.sent) await this.repository.sentAgain(reservation, at);
      return { do: 'wait' };
    }
    const reason = 'the outcome of the change could not be determined';
    return { do: 'move', move: { to: 'manual_review', reason, at, patch: { nextCheckAt: undefined } } };
  }

  /**
   * What happens instead of repeating a change that was made, or that would undo what was changed at the supplier, or may do so, or book a
   * second time: a booking that is gone under its number may have been replaced. A reservation = repeat it, for that one: the booking may
   * have another number.
   */
  async #shownBefore(
    reservation: Reservation,
    supplier: Supplier,
    change: Change,
    reviewAt: number,
  ): Promise<Verdict | Reservation> {
    const mayUndoIt = mayUndo(change, supplier);
    const isRequired = mayUndoIt || canBeAsked(reservation, supplier);
    if (!isRequired && !change.shown) return reservation;
    const finding = await this.lookup.findPresent(reservation, supplier);
    const at = this.repository.now();
    const review = (reason: string, patch: Patch = {}): Verdict => ({
      do: 'move',
      move: { to: 'manual_review', reason, at, patch: { ...patch, nextCheckAt: undefined } },
    });
    const later = (reason: string): Verdict => (at < reviewAt ? { do: 'wait' } : review(reason));
    if (finding.kind === 'several')
      return review(`the supplier shows ${finding.bookings.length} active bookings for this reservation`);
    if (finding.kind === 'unclear' && isRequired) return later('the outcome of the change could not be determined');
    if (finding.kind !== 'found') return reservation;
    const { booking } = finding;
    if (!isActive(booking))
      return canBeAsked(reservation, supplier) ? later('the supplier shows the booking as cancelled') : reservation;
    const renumbered = renumberedPatch(reservation, booking);
    const view = mayUndoIt ? laterView(reservation, booking) : undefined;
    if (view && undoneBy(change.kinds, view).length > 0)
      return review(reasonBooked('the supplier shows the booking', view), { view, ...renumbered });
    const isMade = (change.shown || renumbered) && shownOfChange(reservation, change, booking) === 'made';
    // What replaced the booking, and is on request, is the change.
    if (isMade || (renumbered && booking.status === 'on_request'))
      return { do: 'move', move: this.#changed({ kind: 'done', result: booking }, reservation, change) };
    return renumbered ? { ...reservation, ...renumbered } : reservation;
  }

  /**
   * A refusal of the second request does not reveal the outcome of the first, and a change that awaits acceptance has none yet: the
   * booking shows it, if it has other dates, another car or other extras. `refusal`: the answer to the repeated request; undefined = it awaits acceptance.
   */
  async #lookUpChange(
    reservation: Reservation,
    supplier: Supplier,
    change: Change,
    refusal?: Outcome<SupplierBooking>,
  ): Promise<Verdict> {
    const finding = await this.lookup.findPresent(reservation, supplier);
    const at = this.repository.now();
    if (finding.kind === 'found') {
      const shown = shownOfChange(reservation, change, finding.booking);
      const outcome = shown === 'made' ? ({ kind: 'done', result: finding.booking } as const) : shown && refusal;
      if (outcome) return { do: 'move', move: this.#changed(outcome, reservation, change) };
    }
    if (!refusal && at < clockOf(reservation, at, this.config.reservations, supplier.config).reviewAt)
      return { do: 'wait' };
    const reason = refusal
      ? 'the supplier refused a change that may already have been made'
      : 'whether the supplier accepted the change could not be determined';
    return { do: 'move', move: { to: 'manual_review', reason, at, patch: { nextCheckAt: undefined } } };
  }

  #changed(outcome: Outcome<SupplierBooking>, reservation: Reservation, change: Change): Omit<Move, 'actor'> {
    return changeMove(outcome, reservation, change, this.repository.now(), this.config.reservations.firstCheckMs);
  }

  /** What the database knows as in progress isn't what was requested last: sending it again would undo that. */
  #outdated(): Verdict {
    const reason =
      "the gateway's database was restored to an earlier time, and later requests about this reservation are not in it";
    const move = { to: 'manual_review', reason, at: this.repository.now(), patch: { nextCheckAt: undefined } } as const;
    return { do: 'move', move };
  }

  async #withoutSupplier(reservation: Reservation): Promise<Verdict> {
    if (hasEnded(reservation.state) || reservation.state === 'confirmed') return { do: 'rest' };
    const at = this.repository.now();
    if (at < clockOf(reservation, at, this.config.reservations).reviewAt) return { do: 'wait' };
    const reason = 'the supplier is no longer configured';
    return { do: 'move', move: { to: 'manual_review', reason, at, patch: { nextCheckAt: undefined } } };
  }
}

/** Whether a check of the reservation sends the supplier a change or cancellation. A cancelled one can't go to review. */
function writesAgain({ state, change, strays }: Reservation): boolean {
  if (state === 'unknown') return change !== undefined;
  return state === 'cancel_unknown' || (state === 'confirmed' && strays?.some(({ cancel }) => cancel) === true);
}
