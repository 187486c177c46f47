import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { serviceCounts } from '../metrics/service-counts.js';
import { type CountBatch, CountStorage } from './count-storage.js';

const EVERY_MS = 5_000;
const TIDY_EVERY_ROUNDS = 12;

/**
 * Adds what this process counted to the counts of all gateways every five seconds and on shutdown, outside the request path. While the
 * database is unavailable, counts wait in memory, and one warning is logged.
 */
@Injectable()
export class CountWriter implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #storage: CountStorage;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #rounds = 0;
  #batch: CountBatch | undefined;
  #batches = 0;
  #isFailing = false;

  constructor(
    @Inject(DATABASE) database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#storage = new CountStorage(database, config.environment);
  }

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => void this.write(), EVERY_MS).unref();
  }

  /** Before the database is closed: modules are shut down in the opposite order of their imports. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
    await this.write();
  }

  /** Writes what was counted. Rounds don't overlap. Never rejects. */
  write(): Promise<void> {
    this.#round ??= this.#write()
      .then(
        () => {
          this.#isFailing = false;
        },
        (error: unknown) => {
          if (!this.#isFailing)
            this.logger.warn({ err: error }, 'calls cannot be counted for the status page at the moment');
          this.#isFailing = true;
        },
      )
      .finally(() => {
        this.#round = undefined;
      });
    return this.#round;
  }

  async #write(): Promise<void> {
    this.#batch ??= this.#nextBatch();
    if (this.#batch) await this.#storage.add(this.#batch);
    this.#batch = undefined;
    if (this.config.backgroundWork && this.#rounds % TIDY_EVERY_ROUNDS === 0) await this.#storage.tidy();
    this.#rounds += 1;
  }

  #nextBatch(): CountBatch | undefined {
    const rows = serviceCounts.take();
    if (rows.length === 0) return undefined;
    this.#batches += 1;
    return { number: this.#batches, rows };
  }
}
