import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { RequestContext } from '../context/request-context.js';
import { countDoubleBooking, showUnclear } from '../metrics/metrics.js';
import type { SupplierBooking } from '../model/bookings.js';
import { type SupplierAdapter, type SupplierAnswer, type SupplierContext, SupplierError } from '../model/supplier.js';
import { toUtc } from '../places/places.js';
import { maskedText } from '../privacy/masked-text.js';
import { timeZoneOf } from '../representations/location-view.js';
import { type Supplier, SupplierRegistry } from '../suppliers/registry.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { cancelMove, requestCancellation } from './cancel.service.js';
import { changeMove, requestChange } from './change.service.js';
import { clockOf, leaseMs, nextCheck } from './reconcile-clock.js';
import {
  type Finding,
  isActive,
  ORPHANS,
  type Verdict,
  verdictOnBooking,
  verdictOnCancel,
  verdictOnRequest,
  wasOnRequest,
} from './reconcile-rules.js';
import { bookingKey, type Move, type Reservation } from './reservation.js';
import { ReservationRepository } from './reservation.repository.js';
import { ReservationWriter } from './reservation-writer.js';
import { outcomeOf } from './supplier-outcome.js';

/** Reservations per batch, and concurrent checks per supplier: a hanging supplier must not delay the others. */
const BATCH_SIZE = 10;
const MAX_PER_SUPPLIER = 10;
const HOUSEKEEPING_MS = 10_000;
const HOUR_MS = 3_600_000;

/**
 * Resolves unknown outcomes (docs/reliability.md): bookings, changes and cancellations whose answer was lost or whose
 * gateway exited, and requests that a supplier accepts manually. Each reservation is a job. Any number of gateways take
 * jobs with SKIP LOCKED, and a lease returns the jobs of a gateway that exits (docs/decisions/0008).
 */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, OnApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;
  readonly #inProgress = new Map<Promise<void>, string>();
  #round: Promise<void> | undefined;
  #stopped = false;
  #housekeptAt = 0;

  constructor(
    private readonly registry: SupplierRegistry,
    private readonly calls: SupplierCalls,
    private readonly repository: ReservationRepository,
    private readonly writer: ReservationWriter,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.#schedule();
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round;
    await Promise.all(this.#inProgress.keys());
  }

  /** Checks every due reservation once and resolves with their number. Rejects if the database is unavailable. */
  async checkOnce(): Promise<number> {
    const taken = await this.#start();
    await Promise.all(this.#inProgress.keys());
    return taken;
  }

  /** Takes due reservations of suppliers that are not busy and starts checking them. Returns how many it took. */
  async #start(): Promise<number> {
    const { due, unreadable } = await this.repository.takeDue(
      Date.now(),
      leaseMs(this.registry.suppliers),
      BATCH_SIZE,
      this.#busy(),
    );
    for (const { id, error } of unreadable)
      this.logger.error({ reservation: id, err: error }, 'could not read a reservation');
    for (const reservation of due) {
      const check = this.#guarded(reservation).finally(() => this.#inProgress.delete(check));
      this.#inProgress.set(check, reservation.supplier);
    }
    return due.length + unreadable.length;
  }

  #busy(): string[] {
    const counts = new Map<string, number>();
    for (const supplier of this.#inProgress.values()) counts.set(supplier, (counts.get(supplier) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= MAX_PER_SUPPLIER).map(([supplier]) => supplier);
  }

  #schedule(): void {
    if (this.#stopped) return;
    const { checkEveryMs } = this.config.reservations;
    // Jitter keeps several gateways from running in step.
    this.#timer = setTimeout(
      () => {
        this.#round = this.#runRound().finally(() => this.#schedule());
      },
      checkEveryMs * (0.75 + Math.random() / 2),
    );
  }

  async #runRound(): Promise<void> {
    try {
      while (!this.#stopped && (await this.#start()) === BATCH_SIZE);
      if (Date.now() - this.#housekeptAt >= HOUSEKEEPING_MS) await this.#housekeep();
    } catch (error) {
      this.logger.warn(
        { why: error instanceof Error ? maskedText(error.message) : 'unknown' },
        'the reconciler cannot reach the database',
      );
    }
  }

  async #housekeep(): Promise<void> {
    const now = Date.now();
    this.#housekeptAt = now;
    showUnclear(await this.repository.unclear(now));
    await this.repository.forgetKeys(now - this.config.reservations.idempotencyHours * HOUR_MS);
  }

  /** An error in one reservation must not prevent the others from being checked. */
  async #guarded(reservation: Reservation): Promise<void> {
    try {
      await this.#check(reservation);
    } catch (error) {
      this.logger.error({ ...namesOf(reservation), err: error }, 'could not check a reservation');
    }
  }

  async #check(reservation: Reservation): Promise<void> {
    const orphan = ORPHANS[reservation.state];
    const current = orphan
      ? await this.#move(reservation, { ...orphan, at: Date.now(), patch: { checks: 0 } })
      : reservation;
    if (!current) return;
    const verdict = await this.#verdict(current);
    if (verdict?.do === 'move') await this.#carryOut(current, verdict.move);
    else await this.repository.checkAgain(current, nextCheck(current, verdict, this.config.reservations));
  }

  #verdict(reservation: Reservation): Promise<Verdict> | undefined {
    const supplier = this.registry.byId(reservation.supplier);
    if (!supplier) return this.#withoutSupplier(reservation);
    if (reservation.state === 'on_request') return this.#checkRequest(reservation, supplier);
    if (reservation.state === 'cancel_unknown') return this.#cancelAgain(reservation, supplier);
    if (reservation.state !== 'unknown') return undefined;
    return reservation.change ? this.#changeAgain(reservation, supplier) : this.#findBooking(reservation, supplier);
  }

  async #findBooking(reservation: Reservation, supplier: Supplier): Promise<Verdict> {
    const checkedAt = Date.now();
    if (!supplier.connection.adapter.booking?.findsByReference && reservation.confirmationNumber === undefined) {
      const reason = `${supplier.name} cannot find a booking without its confirmation number`;
      return { do: 'move', move: { to: 'manual_review', reason, at: checkedAt, patch: { nextCheckAt: undefined } } };
    }
    const finding = await this.#find(reservation, supplier);
    const verdict = verdictOnBooking(reservation, finding, clockOf(reservation, checkedAt, this.config.reservations));
    if (verdict.do !== 'release') return verdict;
    // A hold that was never confirmed and is no longer needed. Once released, it cannot become a booking.
    const { rental } = reservation;
    const hold = { ...reservation, rental: { ...rental, ref: { ...rental.ref, ...verdict.hold.ref } } };
    const released = await outcomeOf(requestCancellation(this.calls, supplier, hold, contextFor(reservation)));
    const isGone = released.kind === 'not_done' && released.error.refusal === 'not_found';
    if (released.kind !== 'done' && !isGone) return { do: 'wait' };
    return {
      do: 'move',
      move: { to: 'failed', reason: 'the hold was released', at: Date.now(), patch: { nextCheckAt: undefined } },
    };
  }

  async #checkRequest(reservation: Reservation, supplier: Supplier): Promise<Verdict> {
    const finding = await this.#find(reservation, supplier);
    const { pickup, pickupDate } = reservation.rental;
    const zone = timeZoneOf({ ...pickup, address: { countryCode: pickup.countryCode } });
    return verdictOnRequest(reservation, finding, Date.now(), Date.parse(toUtc(pickupDate, zone)));
  }

  async #cancelAgain(reservation: Reservation, supplier: Supplier): Promise<Verdict> {
    const checkedAt = Date.now();
    const outcome = await outcomeOf(requestCancellation(this.calls, supplier, reservation, contextFor(reservation)));
    const at = Date.now();
    if (outcome.kind === 'not_done' && outcome.error.refusal === 'not_found') {
      const finding = await this.#find(reservation, supplier);
      if (finding.kind === 'found' && !isActive(finding.booking)) {
        const reason = `the supplier shows the booking as ${finding.booking.status}`;
        return {
          do: 'move',
          move: { to: 'cancelled', reason, at, patch: { cancellation: { at }, nextCheckAt: undefined } },
        };
      }
    }
    if (outcome.kind === 'unknown') await this.repository.sentAgain(reservation, at);
    const before = wasOnRequest(reservation) ? 'on_request' : 'confirmed';
    const move = cancelMove(outcome, before, at, this.config.reservations.firstCheckMs);
    return verdictOnCancel(outcome, move, clockOf(reservation, checkedAt, this.config.reservations));
  }

  async #changeAgain(reservation: Reservation, supplier: Supplier): Promise<Verdict> {
    const { change } = reservation;
    if (!change) return { do: 'wait' };
    const { settledAt, reviewAt } = clockOf(reservation, Date.now(), this.config.reservations);
    // Resend only once the first request can no longer take effect late: it would undo changes made after this one is
    // resolved.
    if (Date.now() < settledAt) return { do: 'wait', until: settledAt };
    const outcome = await outcomeOf(requestChange(this.calls, supplier, reservation, change, contextFor(reservation)));
    const at = Date.now();
    if (outcome.kind === 'done') {
      return { do: 'move', move: changeMove(outcome, reservation, change, at, this.config.reservations.firstCheckMs) };
    }
    // A refusal of the second request does not reveal the outcome of the first.
    const refused = outcome.kind === 'not_done' && outcome.error.fault === 'rejected';
    if (!refused && at < reviewAt) {
      await this.repository.sentAgain(reservation, at);
      return { do: 'wait' };
    }
    const reason = refused
      ? 'the supplier refused a change that may already have been made'
      : 'the outcome of the change could not be determined';
    return { do: 'move', move: { to: 'manual_review', reason, at, patch: { nextCheckAt: undefined } } };
  }

  async #withoutSupplier(reservation: Reservation): Promise<Verdict> {
    const at = Date.now();
    if (reservation.state === 'on_request' || at < clockOf(reservation, at, this.config.reservations).reviewAt)
      return { do: 'wait' };
    const reason = 'the supplier is no longer configured';
    return { do: 'move', move: { to: 'manual_review', reason, at, patch: { nextCheckAt: undefined } } };
  }

  async #find(reservation: Reservation, supplier: Supplier): Promise<Finding> {
    try {
      const ask = async (adapter: SupplierAdapter, call: SupplierContext): Promise<SupplierAnswer<SupplierBooking>> => {
        if (!adapter.retrieve) throw new SupplierError('rejected', 'no retrieval', false);
        return adapter.retrieve(bookingKey(reservation), call);
      };
      const options = { renter: reservation.personal };
      const { items } = await this.calls.call(supplier, 'retrieve', contextFor(reservation), ask, options);
      const active = items.filter(isActive);
      if (active.length > 1) {
        countDoubleBooking(supplier.id);
        this.logger.error(
          { ...namesOf(reservation), count: active.length },
          'DOUBLE BOOKING: the supplier shows several active bookings',
        );
        return { kind: 'several', count: active.length };
      }
      const booking = active[0] ?? items[0];
      return booking ? { kind: 'found', booking } : { kind: 'absent' };
    } catch (error) {
      if (!(error instanceof SupplierError)) throw error;
      return { kind: 'unclear' };
    }
  }

  async #carryOut(reservation: Reservation, move: Omit<Move, 'actor'>): Promise<void> {
    const onRequest = move.to === 'on_request';
    const patch = onRequest
      ? { ...move.patch, checks: 0, nextCheckAt: Date.now() + this.config.reservations.firstCheckMs }
      : move.patch;
    // The finding applies only to the checked version; a change made since takes precedence.
    const after = await this.#move(reservation, { ...move, ...(patch ? { patch } : {}) });
    if (after?.state === 'manual_review') {
      this.logger.error(
        { ...namesOf(after), reason: move.reason },
        'this reservation needs manual review: run gw reservation resolve',
      );
    }
  }

  async #move(reservation: Reservation, move: Omit<Move, 'actor'>): Promise<Reservation | undefined> {
    return this.writer.move(reservation, { ...move, actor: 'reconciler' });
  }
}

/** The context of one check; its id distinguishes it from callers' requests in the suppliers' logs. */
function contextFor(reservation: Reservation): RequestContext {
  return new RequestContext(checkIdOf(reservation), Date.now(), false, undefined, reservation.applicationId);
}

/** The id of one check, which suppliers get as the id of its request. */
function checkIdOf({ id, checks }: Reservation): string {
  return `rec_${id.slice(4)}_${checks}`;
}

/** What every line about a reservation has. */
function namesOf(reservation: Reservation): object {
  const { id, supplier, applicationId } = reservation;
  return { requestId: checkIdOf(reservation), application: applicationId, reservation: id, supplier };
}
