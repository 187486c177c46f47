import { sql } from 'drizzle-orm';
import type { Config } from '../config/config.schema.js';
import { rowsIn } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { createPartitions, dropPartitions, type PartitionedTable, partitionsOf } from '../database/time-partitions.js';

const DAY_MS = 86_400_000;

/** The partitioned tables and their column of time, with the column of record_retention that says how long their rows are kept, and its setting. */
export const RECORD_TABLES = [
  { name: 'request_log', period: 'day', instant: 'at', days: 'request_days', setting: 'days' },
  { name: 'usage_counters', period: 'month', instant: 'minute', days: 'usage_days', setting: 'usageDays' },
  { name: 'supplier_usage', period: 'month', instant: 'slot', days: 'usage_days', setting: 'usageDays' },
] as const satisfies readonly (PartitionedTable & {
  readonly instant: string;
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

/**
 * Creates the partitions of usage counters and request records ahead, and drops those that no environment needs. From those that only
 * the other environment still needs, it deletes the rows of its own.
 */
export class RecordPartitions {
  /** By table, the end of the partitions that this environment doesn't need, and of those that have none of its rows anymore; epoch milliseconds. */
  readonly #outlived = new Map<PartitionedTable['name'], number>();
  readonly #forgotten = new Map<PartitionedTable['name'], number>();

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
    const done = await this.maintainAnnounced(now);
    for (const table of RECORD_TABLES) await this.#noteOutlived(table, now);
    return done;
  }

  /**
   * Deletes up to `most` rows of this environment from partitions that were kept only for the other one when `maintain` looked
   * last, and returns their number: fewer than `most` = none is left.
   */
  async forgetOutlived(most: number): Promise<number> {
    let count = 0;
    for (const { name, instant } of RECORD_TABLES) {
      const until = this.#outlived.get(name);
      if (count === most || until === undefined || until === this.#forgotten.get(name)) continue;
      const [table, rest] = [sql.identifier(name), most - count];
      const gone = await this.database.rows(sql`
        with outlived as materialized (
          select own.* from applications a, lateral (
            select tableoid as part, ctid as line from ${table}
            where application_id = a.id and ${sql.identifier(instant)} < ${new Date(until).toISOString()}::timestamptz limit ${rest}) own
          where a.environment = ${this.config.environment} limit ${rest})
        delete from ${table} where ctid = any(array(select line from outlived)) and (tableoid, ctid) in (select part, line from outlived)
        returning 1`);
      // Later ones aren't added: they would be too old (RecordsRepository).
      if (gone.length < rest) this.#forgotten.set(name, until);
      count += gone.length;
    }
    return count;
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

  async #noteOutlived(table: (typeof RECORD_TABLES)[number], now: number): Promise<void> {
    const before = now - this.config.records[table.setting] * DAY_MS;
    if (before <= now - (await this.#daysKept(table, now)) * DAY_MS) return;
    const ends = (await partitionsOf(rowsIn(this.database.tables), table)).map(({ to }) => to);
    const until = Math.max(...ends.filter((to) => to <= before));
    if (until > Number.NEGATIVE_INFINITY) this.#outlived.set(table.name, until);
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
