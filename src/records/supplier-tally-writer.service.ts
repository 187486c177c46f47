import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { failedExchanges } from '../metrics/failed-exchanges.js';
import { loopLag } from '../metrics/loop-lag.js';
import { supplierTallies } from '../metrics/supplier-tallies.js';
import { maskedText } from '../privacy/masked-text.js';
import { FailedExchangeLog } from './failed-exchange-log.js';
import { SupplierTallyRepository, type TallyBatch } from './supplier-tally.repository.js';

const EVERY_MS = 5_000;
const FORGET_EVERY = 60;
const DELETED_PER_STATEMENT = 5_000;

/**
 * Writes the counts of calls to suppliers every five seconds, outside the request path. While the database is
 * unavailable, up to two hours of counts wait in memory. Also writes the kept failed exchanges; those of an outage of the database are lost.
 */
@Injectable()
export class SupplierTallyWriter implements OnApplicationBootstrap, OnApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #rounds = 0;
  #batch: TallyBatch | undefined;
  #batches = 0;
  #lag = { totalMs: 0, samples: 0 };
  #isUnavailable = false;

  constructor(
    private readonly repository: SupplierTallyRepository,
    private readonly exchanges: FailedExchangeLog,
    @Inject(CONFIG) private readonly config: Pick<Config, 'backgroundWork'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => {
      this.#round ??= this.write().finally(() => {
        this.#round = undefined;
      });
    }, EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
    await this.write();
  }

  /** Writes what was counted; a batch that could not be written is sent again first. Never rejects. */
  async write(): Promise<void> {
    this.#measureLag();
    try {
      while (true) {
        this.#batch ??= this.#next();
        if (!this.#batch) break;
        await this.repository.add(this.#batch);
        this.#batch = undefined;
        this.#isUnavailable = false;
      }
      const failed = failedExchanges.take();
      if (failed.length > 0) await this.exchanges.keep(failed);
      this.#rounds += 1;
      if (this.config.backgroundWork && this.#rounds % FORGET_EVERY === 1)
        await Promise.all([this.repository.forget(DELETED_PER_STATEMENT), this.exchanges.forget()]);
    } catch (error) {
      if (!this.#isUnavailable) {
        const why = error instanceof Error ? maskedText(error.message) : 'unknown';
        this.logger.warn({ why }, 'calls to suppliers cannot be recorded at the moment');
      }
      this.#isUnavailable = true;
    }
  }

  #next(): TallyBatch | undefined {
    const tallies = supplierTallies.take();
    if (tallies.calls.length === 0 && tallies.measures.length === 0) return undefined;
    this.#batches += 1;
    return { ...tallies, number: this.#batches };
  }

  #measureLag(): void {
    const { totalMs, samples } = loopLag.counted;
    const count = samples - this.#lag.samples;
    if (count > 0) supplierTallies.measure('', 'loop_lag', totalMs - this.#lag.totalMs, Date.now(), count);
    this.#lag = { totalMs, samples };
  }
}
