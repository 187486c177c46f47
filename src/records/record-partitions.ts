import { sql } from 'drizzle-orm';
import type { Config } from '../config/config.schema.js';
import { rowsIn } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { createPartitions, dropPartitions, type PartitionedTable, partitionsOf } from '../database/time-partitions.js';

const DAY_MS = 86_400_000;

/** The partitioned tables, with the column of record_retention that says how long their rows are kept, and its setting. */
export const RECORD_TABLES = [
  { name: 'request_log', period: 'day', days: 'request_days', setting: 'days' },
  { name: 'usage_counters', period: 'month', days: 'usage_days', setting: 'usageDays' },
  { name: 'supplier_usage', period: 'month', days: 'usage_days', setting: 'usageDays' },
] as const satisfies readonly (PartitionedTable & {
  readonly days: string;
  readonly setting: keyof Config['records'];
})[];

/** What was done with the partitions of one table. */
export interface Maintained {
  readonly table: PartitionedTable['name'];
  /** Rows until this instant have a partition, epoch milliseconds. */
  readonly coveredUntil: number;
  /** Names of partitions. */
  readonly dropped: readonly string[];
  /** Names of partitions that should have been dropped, but were in use. */
  readonly busy: readonly string[];
  /** Why partitions couldn't be created or dropped; undefined = they were. */
  readonly failure: unknown;
}

/** Creates the partitions of usage counters and request records ahead, and drops those that no environment needs. */
export class RecordPartitions {
  constructor(
    private readonly database: Pick<Database, 'tables' | 'rows' | 'clock'>,
    private readonly config: Pick<Config, 'environment' | 'records'>,
  ) {}

  /**
   * Announces what this gateway's environment needs, then does it for each table, even if it fails for another one. Rejects with the
   * driver's error if the database is unavailable.
   */
  async maintain(now: number = this.database.clock.now()): Promise<readonly Maintained[]> {
    await this.#announce(now);
    return await this.maintainAnnounced(now);
  }

  /** The same by what gateways announced: a command may have neither their environment nor their settings. */
  async maintainAnnounced(now: number = this.database.clock.now()): Promise<readonly Maintained[]> {
    const done: Maintained[] = [];
    for (const table of RECORD_TABLES) done.push(await this.#maintain(table, now));
    return done;
  }

  async #maintain(table: (typeof RECORD_TABLES)[number], now: number): Promise<Maintained> {
    const { tables } = this.database;
    const before = now - (await this.#daysKept(table, now)) * DAY_MS;
    let [dropped, busy, failure]: [readonly string[], readonly string[], unknown] = [[], [], undefined];
    try {
      await createPartitions(tables, table, before, now);
      ({ dropped, busy } = await dropPartitions(tables, table, before));
    } catch (error) {
      failure = error;
    }
    const last = (await partitionsOf(rowsIn(tables), table)).at(-1);
    return { table: table.name, coveredUntil: last?.to ?? now, dropped, busy, failure };
  }

  async #announce(now: number): Promise<void> {
    const { days, usageDays } = this.config.records;
    await this.database.rows(sql`
      insert into record_retention as known (environment, request_days, usage_days, announced_at)
      values (${this.config.environment}, ${days}, ${usageDays}, ${new Date(now).toISOString()}::timestamptz)
      on conflict (environment) do update set request_days = excluded.request_days, usage_days = excluded.usage_days,
        announced_at = greatest(known.announced_at, excluded.announced_at)`);
  }

  /**
   * The longest of all environments; one that has announced nothing for that long has no such rows anymore. Before the first gateway, what
   * is configured here.
   */
  async #daysKept({ days, setting }: (typeof RECORD_TABLES)[number], now: number): Promise<number> {
    const column = sql.identifier(days);
    const [row] = await this.database.rows<{ days: number }>(sql`
      select coalesce(max(${column}), ${this.config.records[setting]}::int) as days from record_retention
      where announced_at + ${column} * interval '1 day' > ${new Date(now).toISOString()}::timestamptz`);
    if (!row) throw new Error('a select without group must return a row');
    return row.days;
  }
}
