import { setImmediate as afterResponse } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';

/**
 * Work that no response waits for, because its duration or failure would reveal whether an address has an account. It begins after the
 * response was sent: with the embedded database, it runs on the thread that sends the response. Failures are logged. On shutdown, the gateway
 * finishes running tasks.
 */
@Injectable()
export class BackgroundTasks implements OnApplicationShutdown {
  readonly #running = new Set<Promise<void>>();

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** `what` names the work in the log: "sign-up email". */
  run(what: string, work: () => Promise<void>): void {
    const done: Promise<void> = afterResponse()
      .then(work)
      .catch((error: unknown) => this.logger.error({ err: error }, `background task failed: ${what}`))
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.#running);
  }
}
