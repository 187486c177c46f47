import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config, KEYS } from '../config/config.module.js';
import { acceptedKeys, type Keys } from '../config/keys.js';
import { LOGGER } from '../config/logger.js';
import type { Problem, Seal } from '../database/audit-chain.js';
import { signAudit } from '../database/audit-signing.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { Pace } from '../database/pace.js';

/** While changes are recorded, and otherwise. */
const EVERY_MS = 10_000;
const SELDOM_MS = 60_000;

/**
 * Signs the newest seal of the audit log every ten seconds (every minute if nothing is recorded), if the last checkpoint, the newest seal that it knows and what was
 * added since are right. Each checkpoint is a line of the gateway's log, which write access to the database isn't enough to change.
 */
@Injectable()
export class AuditCheckpoints implements OnApplicationBootstrap, OnApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  /** The newest seal that this process knows to be right: its checkpoint can be removed or replaced with write access to the database. */
  #seen: Seal | undefined;
  #reported: string | undefined;
  #isFailing = false;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment' | 'backgroundWork'>,
    @Inject(KEYS) private readonly keys: Keys,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.config.backgroundWork) return;
    const limits = { quickMs: EVERY_MS, slowMs: SELDOM_MS, activeMs: 2 * EVERY_MS };
    const pace = new Pace(this.database.changes, ['audit_events'], limits, () => this.#schedule(pace));
    this.#schedule(pace);
  }

  #schedule(pace: Pace): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#wake();
      this.#schedule(pace);
    }, pace.pauseMs).unref();
  }

  /** What was recorded last is signed as well. */
  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.config.backgroundWork) this.#wake();
    await this.#round;
  }

  /** Verifies the last checkpoint and what was added since, and signs its end. Rejects with the driver's error. */
  async sign(): Promise<Problem | undefined> {
    const { environment } = this.config;
    const keys = acceptedKeys(this.keys, 'audit_checkpoint');
    const { head, isSigned, problem } = await signAudit(this.database, environment, keys, this.#seen);
    if (problem !== undefined || head === undefined) return problem;
    this.#seen = head;
    if (isSigned) this.logger.info({ environment, ...head }, 'audit log: checkpoint');
    return undefined;
  }

  #wake(): void {
    this.#round ??= this.#run().finally(() => {
      this.#round = undefined;
    });
  }

  async #run(): Promise<void> {
    try {
      const problem = await this.sign();
      if (problem !== undefined && this.#reported !== problem.message)
        this.logger.error({ ...problem }, 'audit log: it was altered; run `gw audit verify`');
      this.#reported = problem?.message;
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        this.logger.warn({ err: error }, 'audit log: it cannot be verified and signed at the moment');
      this.#isFailing = true;
    }
  }
}
