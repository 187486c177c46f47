import { Global, Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { type Database, openConfigured } from './database.js';
import { MOST_SKEW_MS } from './database-clock.js';
import { OperatorReads } from './operator-reads.js';
import { Refresher } from './refresher.js';

/** How often the database's clock is read. */
const CLOCK_EVERY_MS = 10_000;

/** Injection token of the Database. */
export const DATABASE = Symbol('Database');

/** Provides the migrated database. */
@Global()
@Module({
  providers: [
    {
      provide: DATABASE,
      inject: [CONFIG, LOGGER],
      useFactory: (config: Config, logger: Logger): Promise<Database> =>
        openConfigured(config, (told) => logger.info(told)),
    },
    {
      provide: OperatorReads,
      inject: [DATABASE, CONFIG, LOGGER],
      useFactory: (database: Database, { suppliers }: Config, logger: Logger) =>
        new OperatorReads(database, suppliers.statesMs, logger),
    },
  ],
  exports: [DATABASE, OperatorReads],
})
export class DatabaseModule implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #clock: Refresher;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly reads: OperatorReads,
  ) {
    this.#clock = new Refresher(
      () => this.#readClock(),
      () => CLOCK_EVERY_MS,
      "the database's clock",
      logger,
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    // The clock of a database of its own is this machine's.
    await Promise.all([this.database.changes.isAlone ? this.#readClock() : this.#clock.start(), this.reads.start()]);
  }

  async onApplicationShutdown(): Promise<void> {
    this.#clock.stop();
    this.reads.stop();
    await this.database.close();
  }

  async #readClock(): Promise<void> {
    await this.database.ping();
    const { ownAheadMs } = this.database.clock;
    if (Math.abs(ownAheadMs) > MOST_SKEW_MS)
      this.logger.error({ ownAheadMs }, "this machine's clock is not the database's: synchronize both with NTP");
  }
}
