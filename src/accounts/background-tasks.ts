import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';

/**
 * Work that no answer waits for, because how long it takes, or that it failed, would tell whether an address has an account. Failures are logged; a
 * gateway that stops finishes what was begun.
 */
@Injectable()
export class BackgroundTasks implements OnApplicationShutdown {
  readonly #underWay = new Set<Promise<void>>();

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** `what` names the work in the log: "mail of a sign-up". */
  run(what: string, work: () => Promise<void>): void {
    const done: Promise<void> = work()
      .catch((error: unknown) => this.logger.error({ err: error }, `not done after the answer: ${what}`))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
