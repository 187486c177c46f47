import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { Pace } from '../database/pace.js';
import { showUnclear } from '../metrics/metrics.js';
import { showReconcilerRound } from '../metrics/operation-metrics.js';
import { maskedText } from '../privacy/masked-text.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { namesOf } from './booking-lookup.js';
import { type ChecksInProgress, PLACES } from './due-reservations.js';
import { leaseMs, nextCheck } from './reconcile-clock.js';
import { ORPHANS } from './reconcile-rules.js';
import { type Move, type Reservation } from './reservation.js';
import { ReservationRepository } from './reservation.repository.js';
import { ReservationChecks } from './reservation-checks.js';
import { ReservationWriter } from './reservation-writer.js';
import { AWAITED_STATES } from './states.js';

/** Reservations per batch. */
const BATCH_SIZE = 10;
const HOUSEKEEPING_MS = 30_000;
/** Without a change for so long, due reservations are taken less often: by their times, most are due a second after a change. */
const ACTIVE_MS = 30_000;
const IDLE_ROUNDS = 5;
type Queue = Omit<ChecksInProgress, 'count'>;

/** Counting takes at most this share of the time, however many there are to count. */
const COUNTING_SHARE = 0.05;
const HOUR_MS = 3_600_000;

/**
 * Resolves unknown outcomes (docs/reliability.md): bookings, changes and cancellations whose answer was lost or whose
 * gateway exited, and requests that a supplier accepts manually. Each reservation is a job. Any number of gateways take
 * jobs with SKIP LOCKED, and a lease returns the jobs of a gateway that exits (docs/decisions/0008).
 */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, OnApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;
  /** Each check, and the queue that its reservation was taken from. */
  readonly #inProgress = new Map<Promise<void>, Queue>();
  #round: Promise<void> | undefined;
  #stopped = false;
  #housekeepAt = Number.NEGATIVE_INFINITY;
  readonly #pace: Pace;

  constructor(
    private readonly registry: SupplierRegistry,
    private readonly checks: ReservationChecks,
    private readonly repository: ReservationRepository,
    private readonly writer: ReservationWriter,
    @Inject(DATABASE) { changes }: Pick<Database, 'changes'>,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { checkEveryMs: quickMs } = config.reservations;
    const limits = { quickMs, slowMs: quickMs * IDLE_ROUNDS, activeMs: ACTIVE_MS };
    this.#pace = new Pace(changes, ['reservations', 'audit_events'], limits, () => this.#resume());
  }

  onApplicationBootstrap(): void {
    if (this.config.backgroundWork) this.#schedule();
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
    const { due, unreadable, accounts } = await this.repository.takeDue(
      leaseMs(this.registry.suppliers),
      BATCH_SIZE,
      this.#counts(),
      this.registry.configured.map(({ id }) => id).filter((id) => this.registry.byId(id)),
    );
    for (const { id, error } of unreadable)
      this.logger.error({ reservation: id, err: error }, 'could not read a reservation');
    for (const reservation of due) {
      const { id, supplier, state } = reservation;
      const queue = { supplier, account: accounts.get(id) ?? '', awaited: AWAITED_STATES.includes(state) };
      const check = this.#guarded(reservation).finally(() => {
        const wasFull = this.#isFull(queue);
        this.#inProgress.delete(check);
        if (wasFull) this.#runNow();
      });
      this.#inProgress.set(check, queue);
    }
    return due.length + unreadable.length;
  }

  #counts(): ChecksInProgress[] {
    const counts = new Map<string, ChecksInProgress>();
    for (const queue of this.#inProgress.values()) {
      const key = JSON.stringify(queue);
      counts.set(key, { ...queue, count: (counts.get(key)?.count ?? 0) + 1 });
    }
    return [...counts.values()];
  }

  /** Whether more may be waiting that the queue or its supplier had no place for. */
  #isFull({ supplier, account, awaited }: Queue): boolean {
    const most = awaited ? PLACES.awaited : PLACES.later;
    const all = [...this.#inProgress.values()].filter((one) => one.supplier === supplier && one.awaited === awaited);
    return all.length >= most.all || all.filter((one) => one.account === account).length >= most.account;
  }

  #schedule(): void {
    if (this.#stopped) return;
    // Jitter keeps several gateways from running in step.
    this.#timer = setTimeout(() => this.#runNow(), this.#pace.pauseMs * (0.75 + Math.random() / 2));
  }

  /** Ends a long pause. */
  #resume(): void {
    if (this.#timer === undefined || this.#stopped) return;
    clearTimeout(this.#timer);
    this.#schedule();
  }

  /** Starts the next round, unless one is running. A supplier that was busy needn't wait for the timer. */
  #runNow(): void {
    if (this.#timer === undefined || this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#round = this.#runRound().finally(() => this.#schedule());
  }

  async #runRound(): Promise<void> {
    await this.#logged(async () => {
      while (!this.#stopped && (await this.#start()) === BATCH_SIZE);
      showReconcilerRound();
    });
    const begunAt = performance.now();
    if (begunAt < this.#housekeepAt) return;
    await this.#logged(async () => showUnclear(await this.repository.unclear()));
    const endedAt = performance.now();
    this.#housekeepAt = endedAt + Math.max(HOUSEKEEPING_MS, (endedAt - begunAt) / COUNTING_SHARE);
    await this.#logged(() => this.repository.forgetKeys(this.config.reservations.idempotencyHours * HOUR_MS));
  }

  /** A statement that fails must not prevent the next one. */
  async #logged(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.warn(
        { why: error instanceof Error ? maskedText(error.message) : 'unknown' },
        'the reconciler cannot reach the database',
      );
    }
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
      ? await this.#move(reservation, { ...orphan, at: this.repository.now(), patch: { checks: 0 } })
      : reservation;
    if (!current) return;
    const verdict = await this.checks.verdict(current);
    if (verdict?.do === 'move') await this.#carryOut(current, verdict.move);
    else if (verdict?.do === 'rest') await this.repository.checkAgain(current, undefined);
    else
      await this.repository.checkAgain(
        current,
        nextCheck(current, verdict, this.repository.now(), this.config.reservations),
      );
  }

  async #carryOut(reservation: Reservation, move: Omit<Move, 'actor'>): Promise<void> {
    const onRequest = move.to === 'on_request';
    const patch = onRequest
      ? { ...move.patch, checks: 0, nextCheckAt: this.repository.now() + this.config.reservations.firstCheckMs }
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
