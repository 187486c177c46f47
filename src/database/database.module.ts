import { Global, Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { type Database, openConfigured } from './database.js';
import { MOST_SKEW_MS } from './database-clock.js';
import { Refresher } from './refresher.js';

/** How often the database's clock is read. */
const CLOCK_EVERY_MS = 5_000;

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
  ],
  exports: [DATABASE],
})
export class DatabaseModule implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #clock: Refresher;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#clock = new Refresher(() => this.#readClock(), CLOCK_EVERY_MS, "the database's clock", logger);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#clock.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.#clock.stop();
    await this.database.close();
  }

  async #readClock(): Promise<void> {
    await this.database.ping();
    const { ownAheadMs } = this.database.clock;
    if (Math.abs(ownAheadMs) > MOST_SKEW_MS)
      this.logger.error({ ownAheadMs }, "this machine's clock is not the database's: synchronize both with NTP");
  }
}
