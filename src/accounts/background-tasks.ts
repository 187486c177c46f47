import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';

/**
 * The embedded database runs on the thread that answers requests, so work on it delays whatever is answered next. It
 * begins at a random time, among the work that a gateway does every second anyway, so that a caller who measures
 * responses doesn't see whether there was any.
 */
const EMBEDDED_PAUSE_MS = [250, 1_250] as const;

/**
 * Work that no response waits for, because its duration or failure would reveal whether an address has an account. It begins after the
 * response was sent. Failures are logged. On shutdown, the gateway finishes running tasks.
 */
@Injectable()
export class BackgroundTasks implements OnApplicationShutdown {
  readonly #running = new Set<Promise<void>>();

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** `what` names the work in the log: "sign-up email". */
  run(what: string, work: () => Promise<void>): void {
    const pauseMs = this.config.databaseUrl === undefined ? randomInt(...EMBEDDED_PAUSE_MS) : 0;
    const done: Promise<void> = wait(pauseMs)
      .then(work)
      .catch((error: unknown) => this.logger.error({ err: error }, `background task failed: ${what}`))
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.#running);
  }
}
