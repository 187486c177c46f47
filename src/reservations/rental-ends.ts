import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Outcome, TestClocks } from '../auth/test-clocks.js';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { Pace } from '../database/pace.js';
import { Refresher } from '../database/refresher.js';
import { ReservationRepository } from './reservation.repository.js';
import { json } from './reservation-row.js';
import { ReservationWriter } from './reservation-writer.js';

/** Reservations per round. */
const BATCH_SIZE = 50;
/** Without a change for so long, rounds are rarer. */
const ACTIVE_MS = 30_000;
const IDLE_ROUNDS = 5;

const REASONS: Readonly<Record<Outcome, string>> = {
  completed: 'the dropoff time passed on the test clock',
  no_show: 'the pickup time passed on the test clock, with the outcome no_show',
};

/**
 * Ends rentals by the test clocks of their applications (decision 0087): a confirmed reservation is completed at its dropoff
 * or, with the outcome no_show, a no-show at its pickup. Without a test clock, nothing does: suppliers report neither.
 */
@Injectable()
export class RentalEnds implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #refresher: Refresher;

  constructor(
    private readonly clocks: TestClocks,
    private readonly repository: ReservationRepository,
    private readonly writer: ReservationWriter,
    @Inject(DATABASE) private readonly database: Pick<Database, 'rows' | 'changes'>,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    const { checkEveryMs: quickMs } = config.reservations;
    const limits = { quickMs, slowMs: quickMs * IDLE_ROUNDS, activeMs: ACTIVE_MS };
    const tables = ['reservations', 'audit_events'] as const;
    const pace = new Pace(database.changes, tables, limits, () => this.#refresher.wake());
    this.#refresher = new Refresher(
      () => this.endDue(),
      () => pace.pauseMs,
      'ends of rentals',
      logger,
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.backgroundWork && this.config.environment === 'sandbox') await this.#refresher.start();
  }

  onApplicationShutdown(): void {
    this.#refresher.stop();
  }

  /** Ends the rentals that are due. Rejects with the driver's error. */
  async endDue(): Promise<void> {
    for (let found = BATCH_SIZE; found === BATCH_SIZE; ) {
      const due = await this.#due();
      found = due.length;
      for (const { id, outcome } of due) await this.#end(id, outcome);
    }
  }

  async #due(): Promise<readonly { readonly id: string; readonly outcome: Outcome }[]> {
    const clocks = [...this.clocks.all].map(([application, clock]) => ({ application, ...clock }));
    if (clocks.length === 0) return [];
    return await this.database.rows(sql`
      select r.id, c.outcome from json_to_recordset(${json(clocks)}) as c(application text, "aheadMs" float8, outcome text)
      join reservations r on r.application_id = c.application and r.environment = 'sandbox' and r.state = 'confirmed'
      where (r.view -> (case c.outcome when 'no_show' then 'pickup' else 'dropoff' end) ->> 'date_utc')::timestamptz
        <= now() + make_interval(secs => c."aheadMs" / 1000)
      order by r.id limit ${BATCH_SIZE}`);
  }

  /** A reservation that has changed since is left to the next round. */
  async #end(id: string, outcome: Outcome): Promise<void> {
    const reservation = await this.repository.get(id);
    if (reservation?.state !== 'confirmed') return;
    await this.writer.move(reservation, {
      to: outcome,
      actor: 'gateway',
      reason: REASONS[outcome],
      at: this.repository.now(),
      patch: { nextCheckAt: undefined },
    });
  }
}
