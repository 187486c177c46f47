import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import type { CountedMinute } from '../metrics/service-counts.js';

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
    for (const { part, operation, minute, calls, failed } of rows) {
      const key = `${part} ${operation} ${minute}`;
      const sum = sums.get(key) ?? { part, operation, minute, calls: 0, failed: 0 };
      sums.set(key, { ...sum, calls: sum.calls + calls, failed: sum.failed + failed });
    }
    const lines = [...sums.entries()]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { part, operation, minute, calls, failed }]) => ({
        p: part,
        o: operation,
        m: minute * 60,
        c: calls,
        f: failed,
      }));
    await this.database.rows(sql`
      with mark as (
        insert into usage_batches as known (gateway, number, written_at) values (${this.#gateway}, ${number}, now())
        on conflict (gateway) do update set number = excluded.number, written_at = excluded.written_at where known.number < excluded.number
        returning 1),
      line as (
        select p, o, to_timestamp(m) as minute, c, f
        from json_to_recordset(${JSON.stringify(lines)}::json) as one (p text, o text, m bigint, c bigint, f bigint)
        where exists (select 1 from mark)),
      spanned as (
        select 'minute' as span, minute as at, p, o, c, f from line
        union all
        select 'day', date_trunc('day', minute, 'UTC'), p, o, sum(c), sum(f) from line group by 2, 3, 4)
      insert into service_counts as known (environment, span, at, part, operation, calls, failed)
      select ${this.environment}, span, at, p, o, c, f from spanned order by span, at, p, o
      on conflict (environment, span, at, part, operation)
      do update set calls = known.calls + excluded.calls, failed = known.failed + excluded.failed`);
  }

  /** The minutes since `since` (epoch milliseconds), oldest first. */
  async minutes(since: number): Promise<readonly StoredCount[]> {
    return this.#of('minute', since);
  }

  /** The UTC days that are kept, oldest first. */
  async days(): Promise<readonly StoredCount[]> {
    return this.#of('day', 0);
  }

  /** Deletes counts older than what is kept. */
  async prune(): Promise<void> {
    await this.database.rows(sql`
      delete from service_counts where environment = ${this.environment} and
        (span = 'minute' and at < now() - ${MINUTES_KEPT} * interval '1 minute'
        or span = 'day' and at < date_trunc('day', now(), 'UTC') - ${DAYS_KEPT - 1} * interval '1 day')`);
  }

  #of(span: 'minute' | 'day', since: number): Promise<readonly StoredCount[]> {
    return this.database.rows<StoredCount & Record<string, unknown>>(sql`
      select part, operation, (extract(epoch from at) * 1000)::float8 as at, calls::float8 as calls, failed::float8 as failed
      from service_counts where environment = ${this.environment} and span = ${span}
        and at >= ${new Date(since).toISOString()}::timestamptz order by at, part, operation`);
  }
}
