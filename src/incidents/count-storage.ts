import { randomBytes } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import type { CountedMinute } from '../metrics/service-counts.js';
import { COUNTS, counted } from './counted-minutes.js';

/** Counts of one process, numbered 1, 2, 3 … */
export interface CountBatch {
  readonly number: number;
  readonly rows: readonly CountedMinute[];
}

/** Calls of one part and operation in one minute or UTC day, of all gateways together. */
export interface StoredCount {
  readonly part: string;
  readonly operation: string;
  /** Start of the minute or day, epoch milliseconds. */
  readonly at: number;
  readonly calls: number;
  readonly failed: number;
}

/** How long counts are kept. */
const MINUTES_KEPT = 120;
/** Gateways write the calls of a minute within some seconds, so all of them are known then, unless one can't reach the database. */
const FOLDED_AFTER_MINUTES = 3;
/** Two that fold would each get some of the accounts of a minute. */
const LOCK = sql`pg_try_advisory_xact_lock(20260, 4)`;
/** Days of the status page, today included. */
export const DAYS_KEPT = 90;

/** Stores what gateways counted, in one environment. Rejects with the driver's error if the database is unavailable. */
export class CountStorage {
  /** Identifies this process among the gateways that share the database. */
  readonly #gateway = `counts_${randomBytes(9).toString('base64url')}`;

  constructor(
    private readonly database: Pick<Database, 'rows'>,
    private readonly environment: string,
  ) {}

  /**
   * Adds a batch to the counts of all gateways, in one statement. The same batch can be sent again if it is unclear
   * whether the statement was executed: it counts once.
   */
  async add({ number, rows }: CountBatch): Promise<void> {
    // A row may appear once per statement. The same order on all gateways, so that they don't deadlock.
    const sums = new Map<string, CountedMinute>();
    for (const row of rows) {
      const key = `${row.part} ${row.operation} ${row.minute} ${row.account}`;
      const sum = sums.get(key);
      sums.set(key, sum ? { ...row, calls: sum.calls + row.calls, failed: sum.failed + row.failed } : row);
    }
    const lines = [...sums.entries()]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { part, operation, minute, account, calls, failed }]) => ({
        ...{ p: part, o: operation, m: minute * 60 },
        ...{ a: account, c: calls, f: failed },
      }));
    await this.database.rows(sql`
      with mark as (
        insert into usage_batches as known (gateway, number, written_at) values (${this.#gateway}, ${number}, now())
        on conflict (gateway) do update set number = excluded.number, written_at = excluded.written_at where known.number < excluded.number
        returning 1)
      insert into account_counts as known (environment, part, operation, at, account, calls, failed)
      select ${this.environment}, p, o, to_timestamp(m), a, c, f
      from json_to_recordset(${JSON.stringify(lines)}::json) as line (p text, o text, m bigint, a text, c bigint, f bigint)
      where exists (select 1 from mark)
      on conflict (environment, at, part, operation, account)
      do update set calls = known.calls + excluded.calls, failed = known.failed + excluded.failed`);
  }

  /** The minutes since `since` (epoch milliseconds), oldest first. */
  async minutes(since: number): Promise<readonly StoredCount[]> {
    return this.#read(sql`at`, sql`span = 'minute' and at >= ${new Date(since).toISOString()}::timestamptz`);
  }

  /** The UTC days that are kept, oldest first. */
  async days(): Promise<readonly StoredCount[]> {
    return this.#read(sql`date_trunc('day', at, 'UTC')`, sql`(span = 'day' or not is_folded)`);
  }

  /**
   * Folds the calls of accounts into the minutes and days of all, once all gateways have written them, and deletes counts older than
   * what is kept.
   */
  async tidy(): Promise<void> {
    const { environment } = this;
    await this.database.rows(sql`
      with gone as (
        delete from account_counts where environment = ${environment}
          and at < now() - ${FOLDED_AFTER_MINUTES} * interval '1 minute' and (select ${LOCK}) returning *),
      minute as (${sql.raw(counted('gone'))}),
      spanned as (
        select 'minute' as span, at, part, operation, calls, failed from minute
        union all
        select 'day', date_trunc('day', at, 'UTC'), part, operation, sum(calls), sum(failed) from minute group by 2, 3, 4)
      insert into service_counts as known (environment, span, at, part, operation, calls, failed)
      select ${environment}, span, at, part, operation, calls, failed from spanned order by span, at, part, operation
      on conflict (environment, span, at, part, operation)
      do update set calls = known.calls + excluded.calls, failed = known.failed + excluded.failed`);
    await this.database.rows(sql`
      delete from service_counts where environment = ${environment} and
        (span = 'minute' and at < now() - ${MINUTES_KEPT} * interval '1 minute'
        or span = 'day' and at < date_trunc('day', now(), 'UTC') - ${DAYS_KEPT - 1} * interval '1 day')`);
  }

  #read(at: SQL, which: SQL): Promise<readonly StoredCount[]> {
    return this.database.rows<StoredCount & Record<string, unknown>>(sql`
      select part, operation, (extract(epoch from ${at}) * 1000)::float8 as at, sum(calls)::float8 as calls, sum(failed)::float8 as failed
      from ${sql.raw(COUNTS)} where environment = ${this.environment} and ${which} group by 1, 2, 3 order by 3, 1, 2`);
  }
}
