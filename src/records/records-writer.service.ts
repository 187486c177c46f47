import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { refusedValue } from '../database/database-fault.js';
import { LEAST_AHEAD_MS } from '../database/time-partitions.js';
import { countRecords } from '../metrics/record-counts.js';
import { maskedText } from '../privacy/masked-text.js';
import { RecordPartitions } from './record-partitions.js';
import { Recorder } from './recorder.service.js';
import { RecordsRepository, type UsageBatch } from './records.repository.js';
import type { RequestRecord } from './request-record.js';

const SECOND_MS = 1_000;
/** Counters are written less often than requests: one statement adds up the calls of several seconds. */
const USAGE_EVERY_SECONDS = 3;
const PRUNE_EVERY_SECONDS = 10;
const PARTITIONS_EVERY_SECONDS = 600;
/** The same if there will soon be none. */
const PARTITIONS_RETRY_SECONDS = 60;
const ROWS_PER_STATEMENT = 2_000;
const RECORDS_PER_STATEMENT = 200;
const DELETED_PER_STATEMENT = 2_000;
/** Statements per round that delete what only the other environment's settings keep: requests are written between rounds. */
const MOST_DELETIONS = 5;

/**
 * Writes the Recorder's data to the database outside the request path: requests every second, counters every three
 * seconds, the rest on shutdown. While the database is unavailable, a bounded amount waits in memory. Also looks after the
 * partitions and deletes excess requests.
 */
@Injectable()
export class RecordsWriter implements OnApplicationBootstrap, OnApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;
  #seconds = 0;
  #maintainAt = 0;
  #hasPartitions = true;
  #round: Promise<void> | undefined;
  #batch: UsageBatch | undefined;
  #batches = 0;
  #isUnavailable = false;
  /** Applications with new requests since the last check for excess requests. */
  readonly #grown = new Set<string>();

  constructor(
    private readonly recorder: Recorder,
    private readonly repository: RecordsRepository,
    private readonly partitions: RecordPartitions,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => this.#tick(), SECOND_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
    this.#turnSecond();
    await this.#guarded(async () => {
      await this.#writeUsage();
      await this.#writeRecords();
    });
  }

  #tick(): void {
    this.#turnSecond();
    this.#seconds += 1;
    // Rounds don't overlap: if the database is slow, the next round writes everything that has accumulated.
    this.#round ??= this.#guarded(() => this.#write()).finally(() => {
      this.#round = undefined;
    });
  }

  /** What callers sent is recorded outside of their requests, where an error would end the process. */
  #turnSecond(): void {
    try {
      this.recorder.turnSecond();
    } catch (error) {
      this.logger.error({ err: error }, 'the requests of a second could not be recorded');
    }
  }

  async #write(): Promise<void> {
    try {
      if (this.#seconds >= this.#maintainAt) await this.maintain();
    } finally {
      await this.#writeRecords();
      if (this.#seconds % USAGE_EVERY_SECONDS === 0) await this.#writeUsage();
    }
    if (this.#seconds % PRUNE_EVERY_SECONDS === 0) await this.prune();
  }

  /** Creates partitions ahead and drops old ones. Logs an error once when there will soon be none for new rows. */
  async maintain(): Promise<void> {
    const done = await this.partitions.maintain();
    for (const { table, dropped } of done)
      if (dropped.length > 0) this.logger.info({ table, dropped }, 'dropped partitions older than what is kept');
    const soon = done.find(({ coveredUntil }) => coveredUntil < Date.now() + LEAST_AHEAD_MS);
    this.#maintainAt = this.#seconds + (soon ? PARTITIONS_RETRY_SECONDS : PARTITIONS_EVERY_SECONDS);
    if (soon && this.#hasPartitions) {
      const { table, coveredUntil, failure } = soon;
      const why = failure instanceof Error ? maskedText(failure.message) : 'unknown';
      const until = new Date(coveredUntil).toISOString();
      this.logger.error({ table, until, why }, 'no partition can be created for later rows: run `gw migrate apply`');
    }
    this.#hasPartitions = soon === undefined;
  }

  async #writeRecords(): Promise<void> {
    for (;;) {
      const records = this.recorder.takeRecords(RECORDS_PER_STATEMENT);
      if (records.length === 0) return;
      await this.#keep(records);
    }
  }

  /** Stores requests. If the database refuses a value, halves of them are tried until that request alone is dropped. */
  async #keep(records: readonly RequestRecord[]): Promise<void> {
    const parts = [records];
    for (let part = parts.pop(); part; part = parts.pop()) {
      try {
        await this.repository.keep(part);
      } catch (error) {
        const sqlState = refusedValue(error);
        if (sqlState === undefined) {
          this.recorder.giveBack([part, ...parts.reverse()].flat());
          throw error;
        }
        if (part.length === 1) for (const record of part) this.#drop(record, sqlState);
        else parts.push(part.slice(part.length / 2), part.slice(0, part.length / 2));
        continue;
      }
      this.#databaseAnswered();
      countRecords('written', part.length);
      for (const { applicationId } of part) this.#grown.add(applicationId);
    }
  }

  #drop({ applicationId, operation }: RequestRecord, sqlState: string): void {
    countRecords('refused', 1);
    const which = { application: applicationId, operation, sqlState };
    this.logger.error(which, 'a request record was dropped because the database refused one of its values');
  }

  async #writeUsage(): Promise<void> {
    for (;;) {
      this.#batch ??= this.#nextBatch();
      if (!this.#batch) return;
      await this.repository.addUsage(this.#batch);
      this.#databaseAnswered();
      this.#batch = undefined;
    }
  }

  #nextBatch(): UsageBatch | undefined {
    const rows = this.recorder.takeUsage(ROWS_PER_STATEMENT);
    const suppliers = this.recorder.takeSuppliers(ROWS_PER_STATEMENT);
    if (rows.length === 0 && suppliers.length === 0) return undefined;
    this.#batches += 1;
    return { number: this.#batches, rows, suppliers };
  }

  /**
   * Forgets excess requests, what this environment no longer keeps, and gateways that no longer run; each step runs even
   * if an earlier one failed. Rejects with the first failure.
   */
  async prune(): Promise<void> {
    const { perApplication } = this.config.records;
    // Only the gateway that wrote requests knows which applications may have too many.
    const ofAll = this.config.backgroundWork
      ? [() => this.#forgetOutlived(), () => this.repository.forgetGateways()]
      : [];
    const steps = [() => this.#forgetBeyond(perApplication), ...ofAll];
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  async #forgetBeyond(perApplication: number): Promise<void> {
    for (const applicationId of [...this.#grown]) {
      await inBatches(() => this.repository.forgetBeyond(applicationId, perApplication, DELETED_PER_STATEMENT));
      this.#grown.delete(applicationId);
    }
  }

  async #forgetOutlived(): Promise<void> {
    for (let count = 0; count < MOST_DELETIONS; count += 1)
      if ((await this.partitions.forgetOutlived(DELETED_PER_STATEMENT)) < DELETED_PER_STATEMENT) return;
  }

  /** Runs a background write. Logs once when the database becomes unavailable and once when it is available again. */
  async #guarded(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (this.#isUnavailable) return;
      this.#isUnavailable = true;
      const why = error instanceof Error ? maskedText(error.message) : 'unknown';
      this.logger.warn({ why }, 'requests cannot be recorded at the moment');
    }
  }

  #databaseAnswered(): void {
    if (this.#isUnavailable) this.logger.info('requests are recorded again');
    this.#isUnavailable = false;
  }
}

/** Repeats a statement that deletes at most DELETED_PER_STATEMENT rows until it deletes fewer. */
async function inBatches(forget: () => Promise<number>): Promise<void> {
  while ((await forget()) === DELETED_PER_STATEMENT);
}
