import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { maskedText } from '../privacy/masked-text.js';

const EVERY_MS = 10_000;
const DAY_MS = 86_400_000;
const BATCH = 500;

/** Erases renters' data: on request, and after the retention time. */
export class PersonalData {
  constructor(
    private readonly database: Database,
    private readonly environment: Config['environment'],
  ) {}

  /**
   * Erases everything personal about a reservation of this environment. Returns false if there is no such reservation. Rejects with the driver's error if the database is unavailable.
   */
  async erase(id: string): Promise<boolean> {
    const which = sql`r.id = ${id} and r.environment = ${this.environment} for update`;
    return (await this.#erase(which, 'ops', 'personal data erased')) === 1;
  }

  /**
   * Erases up to `most` reservations of this environment whose rental ended, or that were cancelled or never became a
   * booking, `ageMs` ago or earlier. Returns how many.
   */
  async eraseEnded(ageMs: number, most: number): Promise<number> {
    const instant = new Date(this.database.clock.now() - ageMs).toISOString();
    const isOver = sql`(r.rental ->> 'dropoffDate' < ${instant.slice(0, 19)}
      or (r.state in ('cancelled', 'rejected', 'failed', 'expired') and r.updated_at < ${instant}::timestamptz))`;
    const which = sql`r.personal is not null and ${isOver} and r.environment = ${this.environment} limit ${most} for update skip locked`;
    return await this.#erase(which, 'gateway', 'personal data erased after its retention time');
  }

  /**
   * One statement. The request records are those that may have an X-Request-Id of the caller's own: it isn't known which
   * of them belong to the reservation. They are compared with the oldest reservation of their application only: each
   * with each would be ten million comparisons, and one tenant could hold up erasure for all.
   */
  async #erase(which: SQL, actor: string, reason: string): Promise<number> {
    const rows = await this.database.rows(sql`
      with due as (select r.id, r.application_id, r.created_at from reservations r where ${which}),
      answers as (update idempotency_keys k set answer = null from due where k.reservation_id = due.id),
      oldest as (select application_id, min(created_at) as at from due group by application_id),
      records as (delete from request_log q using oldest where q.application_id = oldest.application_id
        and q.at >= oldest.at - interval '1 minute' and q.operation like '%Reservation' and q.request_id !~ '^req_[A-Za-z0-9_-]{16}$')
      update reservations set personal = null, change = null, client_reference = null,
        payment = json_build_object('type', payment ->> 'type'), version = version + 1, state_actor = ${actor},
        state_reason = ${reason}, updated_at = now()
      from due where reservations.id = due.id returning reservations.id`);
    return rows.length;
  }
}

/** Erases the data of rentals that ended `reservations.personalDataDays` ago, on every gateway that does background work. */
@Injectable()
export class PersonalDataRetention implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #data: PersonalData;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(
    @Inject(DATABASE) database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#data = new PersonalData(database, config.environment);
  }

  onApplicationBootstrap(): void {
    if (!this.config.backgroundWork) return;
    this.#timer = setInterval(() => {
      this.#round ??= this.#run().finally(() => {
        this.#round = undefined;
      });
    }, EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  async #run(): Promise<void> {
    const ageMs = this.config.reservations.personalDataDays * DAY_MS;
    try {
      for (let count = BATCH; count === BATCH; ) {
        count = await this.#data.eraseEnded(ageMs, BATCH);
        if (count > 0) this.logger.info({ count }, "erased renters' data after its retention time");
      }
    } catch (error) {
      const why = error instanceof Error ? maskedText(error.message) : 'unknown';
      this.logger.warn({ why }, "renters' data can't be erased at the moment");
    }
  }
}
