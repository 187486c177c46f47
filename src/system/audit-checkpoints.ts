import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { CONFIG, type Config, KEYS } from '../config/config.module.js';
import type { Keys } from '../config/keys.js';
import { LOGGER } from '../config/logger.js';
import { type Problem, type Start, signCheckpoint, verifyAudit } from '../database/audit-chain.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { Pace } from '../database/pace.js';

/** While changes are recorded, and otherwise. */
const EVERY_MS = 10_000;
const SELDOM_MS = 60_000;
const BEGINNING: Start = { sequence: 0, hash: null };

/**
 * Signs the newest seal of the audit log every ten seconds (every minute if nothing is recorded), if what was added since the last checkpoint is right. Each
 * checkpoint is a line of the gateway's log, which whoever can write to the database can't change.
 */
@Injectable()
export class AuditCheckpoints implements OnApplicationBootstrap, OnApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  /** The newest checkpoint that this process has seen: the database may lose or forget it. */
  #seen = BEGINNING;
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

  /** Verifies what was added since the last checkpoint, and signs its end. Rejects with the driver's error. */
  async sign(): Promise<Problem | undefined> {
    const { environment } = this.config;
    const key = this.keys('audit_checkpoint');
    const last = await this.#last();
    const isCutOff = last.sequence < this.#seen.sequence;
    const { head, problem = isCutOff ? this.#cutOff() : undefined } = await verifyAudit(
      this.database,
      environment,
      key,
      { start: last },
    );
    if (problem !== undefined || head === undefined || head.sequence === last.sequence) {
      if (problem === undefined) this.#seen = last;
      return problem;
    }
    await this.database.rows(sql`insert into audit_checkpoints (environment, sequence, hash, signature)
      values (${environment}, ${head.sequence}, ${head.hash}, ${signCheckpoint(key, head)}) on conflict do nothing`);
    this.#seen = head;
    this.logger.info({ environment, ...head }, 'audit log: checkpoint');
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

  async #last(): Promise<Start> {
    const [row] = await this.database.rows<{ sequence: number; hash: string }>(sql`
      select sequence::float8 as sequence, hash from audit_checkpoints where environment = ${this.config.environment}
      order by sequence desc limit 1`);
    return row ?? BEGINNING;
  }

  #cutOff(): Problem {
    const { sequence } = this.#seen;
    return { sequence, event: null, message: 'the end of the log was deleted: this gateway has signed more' };
  }
}
