import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { maskedText } from '../privacy/masked-text.js';
import { AccountData } from './account-data.js';

/** How often it looks for what a gateway that stopped has left. */
const EVERY_MS = 10_000;
const FORGOTTEN_AT_ONCE = 500;

/**
 * Erases what is kept about closed accounts, on every gateway that does background work, so that an erasure is completed even
 * if the gateway that began it stops or the database fails. Also deletes accounts whose address is never verified.
 */
@Injectable()
export class AccountErasure implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(
    private readonly data: AccountData,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.backgroundWork) this.#timer = setInterval(() => this.wake(), EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#round;
  }

  /** Call when an account was closed: its erasure begins now, or with the next round. */
  wake(): void {
    if (this.#stop.signal.aborted) return;
    this.#round ??= this.#run().finally(() => {
      this.#round = undefined;
    });
  }

  async #run(): Promise<void> {
    try {
      for (const account of await this.data.closed()) await this.#erase(account);
      const count = await this.data.forgetUnverified(this.config.portal.unverifiedDays, FORGOTTEN_AT_ONCE);
      if (count > 0) this.logger.info({ count }, 'deleted accounts whose addresses were not verified');
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.logger.warn({ why: reasonOf(error) }, "deleted accounts can't be erased at the moment");
    }
  }

  /** An account whose erasure fails is reported and left to the next round, so that the others are erased. */
  async #erase(account: string): Promise<void> {
    try {
      await this.data.erase(account, this.#stop.signal);
      this.logger.info({ account }, 'erased what was kept about a deleted account');
    } catch (error) {
      if (this.#stop.signal.aborted) throw error;
      this.logger.warn({ account, why: reasonOf(error) }, "a deleted account can't be erased at the moment");
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? maskedText(error.message) : 'unknown';
}
