import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { byIndex, FOUND_BY_INDEX } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { OWN_REQUEST_ID } from '../http/request-id.js';
import { showErasureRound } from '../metrics/operation-metrics.js';
import { maskedText } from '../privacy/masked-text.js';
import { SIMULATED_SUPPLIERS, type SimulatedSuppliers } from '../suppliers/supplier-files.js';
import { deleteUnchanged, keptSince } from './sandbox-retention.js';
import { forgetSimulatedRenters } from './simulated-renters.js';

const EVERY_MS = 10_000;
/** After a round: each one reads the request records of every application that has something due. */
const REST_MS = 600_000;
const DAY_MS = 86_400_000;
/** The most reservations that one statement erases. */
const MOST = 500;
/** How many request records one statement reads: some hundred milliseconds of work. */
const RECORDS = 2_000;
/** Gateways write records every second: by then, those of earlier calls are written. */
const WRITTEN_MS = 2_000;
const JUST_NOW = sql`and at >= now() - interval '1 minute'`;

/** The operations (operationId) about reservations: what an application calls them with may be about a renter. */
export const ABOUT_RENTERS: readonly string[] = [
  ...['createReservation', 'listReservations', 'readReservation', 'readVoucher'],
  ...['changeReservation', 'replaceReservation', 'cancelReservation'],
];

/** Reservations of one application to erase. */
interface Due {
  readonly applicationId: string;
  /** A minute before the oldest was made: a timestamp as text. */
  readonly since: string;
  readonly ids: readonly string[];
}

/** Erases renters' data: on request, and after the retention time. */
export class PersonalData {
  constructor(
    private readonly database: Database,
    private readonly environment: Config['environment'],
  ) {}

  /**
   * Erases everything personal about a reservation of this environment. In a transaction, `forgetWritten` must follow its commit. Returns false if there is no such reservation. Rejects with the driver's error if the database is unavailable.
   */
  async erase(id: string): Promise<boolean> {
    const due = await this.#due(sql`select * from reservations where id = ${id} and environment = ${this.environment}`);
    return (await this.#erase(due, 'ops', 'personal data erased', sql`for update`)) === 1;
  }

  /**
   * Deletes request records that gateways wrote while a transaction of `tookMs` erased the reservation, or had in memory when it
   * was committed: until then, they can't see that it is erased (RecordsRepository.keep), and calls that list reservations or
   * are refused name none. Waits until they are written.
   */
  async forgetWritten(id: string, tookMs: number): Promise<void> {
    await sleep(WRITTEN_MS);
    const [due] = await this.#due(
      sql`select * from reservations where id = ${id} and environment = ${this.environment}`,
    );
    const recent = sql`${JUST_NOW} - ${Math.ceil(tookMs)} * interval '1 ms'`;
    if (due) await this.#forgetRecords(due.applicationId, due.since, undefined, recent);
  }

  /**
   * Erases up to `most` reservations of this environment whose rental ended, or that were cancelled or never became a
   * booking, `ageMs` ago or earlier. `found`: how many are due, at most `most`. It is more than `erased` if another gateway erases them, or if
   * they changed meanwhile. Throws the reason of `stop`.
   */
  async eraseEnded(
    ageMs: number,
    most: number,
    stop?: AbortSignal,
  ): Promise<{ readonly found: number; readonly erased: number }> {
    const instant = new Date(this.database.clock.now() - ageMs).toISOString();
    const isKept = sql`personal is not null and environment = ${this.environment}`;
    const isRented = sql`rental ->> 'dropoffDate' < ${instant.slice(0, 19)}`;
    const hasEnded = sql`state in ('cancelled', 'rejected', 'failed', 'expired') and updated_at < ${instant}::timestamptz`;
    // Each in the order of its index: with an `or`, PostgreSQL reads all reservations if few are due.
    const those = sql`select id, application_id, created_at from reservations where ${isKept}`;
    const due = await this.#due(sql`select * from (
      (${those} and ${isRented} order by rental ->> 'dropoffDate' limit ${most})
      union (${those} and ${hasEnded} order by updated_at limit ${most})) each_once limit ${most}`);
    const stillDue = sql`and ${isKept} and (${isRented} or ${hasEnded}) for update skip locked`;
    const erased = await this.#erase(due, 'gateway', 'personal data erased after its retention time', stillDue, stop);
    return { found: due.reduce((sum, { ids }) => sum + ids.length, 0), erased };
  }

  async #due(reservations: SQL): Promise<readonly Due[]> {
    return await this.database.rows<Due>(sql`
      select application_id as "applicationId", (min(created_at) - interval '1 minute')::text as since, array_agg(id) as ids
      from (${reservations}) due group by application_id`);
  }

  /** `which` of them: what still holds once their request records are deleted, which may take minutes, and how they are locked. */
  async #erase(due: readonly Due[], actor: string, reason: string, which: SQL, stop?: AbortSignal): Promise<number> {
    if (due.length === 0) return 0;
    for (const { applicationId, since } of due) await this.#forgetRecords(applicationId, since, stop);
    const ids = due.flatMap((one) => one.ids);
    const rows = await byIndex(
      this.database.tables,
      FOUND_BY_INDEX,
    )(sql`
      with due as materialized (select id from reservations where id in ${ids} ${which}),
      answers as (update idempotency_keys k set answer = null from due where k.reservation_id = due.id)
      update reservations set personal = null, change = null, client_reference = null,
        payment = json_build_object('type', payment ->> 'type'), version = version + 1, state_actor = ${actor},
        state_reason = ${reason}, updated_at = now()
      from due where reservations.id = due.id returning reservations.id`);
    // Written in the meantime. What a gateway still has in memory, it doesn't write anymore (RecordsRepository.keep).
    for (const { applicationId, since } of due) await this.#forgetRecords(applicationId, since, stop, JUST_NOW);
    return rows.length;
  }

  /**
   * Deletes the request records of an application since then that may have an X-Request-Id of the caller's own: it isn't known which of
   * them belong to a reservation. `which` of them: a condition. Failed exchanges of these requests lose the id. Page by page, because an application can have more than one statement reads in time.
   */
  async #forgetRecords(
    applicationId: string,
    since: string,
    stop: AbortSignal | undefined,
    which = sql``,
  ): Promise<void> {
    for (let from: string | null = since; from !== null; ) {
      stop?.throwIfAborted();
      const [page]: readonly { readonly next: string | null }[] = await byIndex(this.database.tables)(sql`
        with page as materialized (select at, operation, request_id from request_log
          where application_id = ${applicationId} and at >= ${from}::timestamptz ${which} order by at limit ${RECORDS}),
        gone as (delete from request_log q using page where q.application_id = ${applicationId} and q.at = page.at
          and q.request_id = page.request_id and page.operation in ${ABOUT_RENTERS} and page.request_id !~ ${OWN_REQUEST_ID}
          returning q.request_id),
        failed as (update failed_exchanges set request_id = 'erased' from gone
          where environment = ${this.environment} and failed_exchanges.request_id = gone.request_id)
        select case when count(*) = ${RECORDS} then (max(at) + interval '1 microsecond' * (max(at) = min(at))::int)::text end as next from page`);
      from = page?.next ?? null;
    }
  }
}

/**
 * Erases the data of rentals that ended `reservations.personalDataDays` ago, and deletes what the sandbox no longer keeps, on every
 * gateway that does background work. Then, on every gateway, simulated suppliers in the process forget the renters of what is erased, by any gateway or command.
 */
@Injectable()
export class PersonalDataRetention implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #data: PersonalData;
  readonly #stop = new AbortController();
  #batch = MOST;
  #deletions = MOST;
  #restsUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(SIMULATED_SUPPLIERS) private readonly simulators: Pick<SimulatedSuppliers, 'rented' | 'forgetRenters'>,
  ) {
    this.#data = new PersonalData(database, config.environment);
  }

  onApplicationBootstrap(): void {
    if (!this.config.backgroundWork && this.simulators.rented().size === 0) return;
    this.#timer = setInterval(() => {
      if (Date.now() < this.#restsUntil) return;
      this.#round ??= this.round().finally(() => {
        this.#round = undefined;
      });
    }, EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#round;
  }

  /** Deletes and erases what is due, and makes simulated suppliers forget it. Logs failures. */
  async round(): Promise<void> {
    const isDone = !this.config.backgroundWork || (await this.#eraseEnded());
    await this.#forgetSimulated();
    if (isDone) this.#restsUntil = Date.now() + REST_MS;
  }

  /** False after a failure, after which fewer reservations are erased with one statement. */
  async #eraseEnded(): Promise<boolean> {
    const ageMs = this.config.reservations.personalDataDays * DAY_MS;
    try {
      await this.#deleteUnchanged();
      for (let isMore = true; isMore; ) {
        const asked = this.#batch;
        const { found, erased } = await this.#data.eraseEnded(ageMs, asked, this.#stop.signal);
        if (erased > 0) this.logger.info({ count: erased }, "erased renters' data after its retention time");
        this.#batch = Math.min(MOST, asked * 2);
        isMore = found === asked && erased > 0;
        // What another gateway is erasing isn't erased yet.
        if (found < asked && erased === found) showErasureRound();
      }
      return true;
    } catch (error) {
      if (this.#stop.signal.aborted) return false;
      // Perhaps it took too long, which fewer reservations of fewer applications won't.
      this.#batch = Math.max(1, Math.floor(this.#batch / 4));
      const why = error instanceof Error ? maskedText(error.message) : 'unknown';
      this.logger.warn({ why }, "renters' data can't be erased at the moment");
      return false;
    }
  }

  /** A failure is logged, and tried again in the next round. */
  async #forgetSimulated(): Promise<void> {
    try {
      const count = await forgetSimulatedRenters(this.database, this.config, this.simulators, this.#stop.signal);
      if (count > 0) this.logger.info({ count }, 'simulated suppliers forgot the renters of erased reservations');
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      const why = error instanceof Error ? maskedText(error.message) : 'unknown';
      this.logger.warn({ why }, "simulated suppliers can't forget renters at the moment");
    }
  }

  /** A failure is logged and doesn't delay other erasures. After it, fewer are deleted with one statement. */
  async #deleteUnchanged(): Promise<void> {
    const since = keptSince(this.config, this.database.clock.now());
    if (since < 0) return;
    try {
      for (let isMore = true; isMore; ) {
        this.#stop.signal.throwIfAborted();
        const asked = this.#deletions;
        const count = await deleteUnchanged(this.database, since, asked);
        this.#deletions = Math.min(MOST, asked * 2);
        isMore = count === asked;
        if (count > 0) this.logger.info({ count }, 'deleted reservations of the sandbox after their retention time');
      }
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#deletions = Math.max(1, Math.floor(this.#deletions / 4));
      const why = error instanceof Error ? maskedText(error.message) : 'unknown';
      this.logger.warn({ why }, "old reservations of the sandbox can't be deleted at the moment");
    }
  }
}
