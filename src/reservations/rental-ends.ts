import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { type Outcome, TestClocks } from '../auth/test-clocks.js';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { byIndex } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { databaseFault } from '../database/database-fault.js';
import { Pace } from '../database/pace.js';
import { Refresher } from '../database/refresher.js';
import { type DueEnd, dueEndsStatement } from './due-ends.js';
import { ReservationRepository } from './reservation.repository.js';
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
    @Inject(TestClocks) private readonly clocks: Pick<TestClocks, 'all'>,
    @Inject(ReservationRepository) private readonly repository: Pick<ReservationRepository, 'get' | 'now'>,
    @Inject(ReservationWriter) private readonly writer: Pick<ReservationWriter, 'move'>,
    @Inject(DATABASE) private readonly database: Pick<Database, 'tables' | 'changes'>,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
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

  /**
   * Ends the rentals that are due, in turns between accounts. One that can't end is reported and left to the next round.
   * Rejects with the driver's error if the database is unavailable.
   */
  async endDue(): Promise<void> {
    for (let isMore = true; isMore; ) {
      const due = await this.#due();
      let ended = 0;
      for (const one of due) if (await this.#guarded(one)) ended += 1;
      isMore = due.length === BATCH_SIZE && ended > 0;
    }
  }

  async #due(): Promise<readonly DueEnd[]> {
    const clocks = [...this.clocks.all].map(([application, clock]) => ({ application, ...clock }));
    return clocks.length === 0 ? [] : await byIndex(this.database.tables)<DueEnd>(dueEndsStatement(clocks, BATCH_SIZE));
  }

  /** Whether it ended, or has changed since. An error in one reservation must not prevent the others from ending. */
  async #guarded(due: DueEnd): Promise<boolean> {
    try {
      await this.#end(due);
      return true;
    } catch (error) {
      if (databaseFault(error)) throw error;
      this.logger.error({ reservation: due.id, err: error }, 'could not end a rental by its test clock');
      return false;
    }
  }

  /** A reservation that has changed since is left to the next round. */
  async #end({ id, outcome }: DueEnd): Promise<void> {
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
