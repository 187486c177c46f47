import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { ownedName } from './owned-name.js';

/** Calls of one supplier and operation that ended one way within one step. */
export interface TimelinePoint {
  readonly supplier: string;
  readonly operation: string;
  /** answered, empty, or a kind of failure (suppliers/failure-kind.ts). */
  readonly cause: string;
  /** Start of the step, epoch milliseconds. */
  readonly at: number;
  readonly calls: number;
}

/** Calls of one supplier and operation by outcome and bucket of duration. */
export interface DurationCount {
  readonly supplier: string;
  readonly operation: string;
  readonly cause: string;
  /** Index of TALLY_BOUNDS_MS; the last one has no bound. */
  readonly bucket: number;
  /** Start of the minute, epoch milliseconds; null = all minutes before the recent ones. */
  readonly at: number | null;
  readonly calls: number;
}

/** Calls of an application that ended one way. '' = others, or background work. */
export interface ApplicationCalls {
  readonly applicationId: string;
  /** With the name of its account in parentheses; '' if the application is unknown. */
  readonly name: string;
  readonly operation: string;
  /** `answered`, which includes refusals, `empty`, or a kind of failure. */
  readonly cause: string;
  readonly calls: number;
  /** Start of the last minute with such calls, epoch milliseconds. */
  readonly lastAt: number;
}

/** A mean of what isn't a call; supplier '' = the gateways. */
export interface MeasurePoint {
  readonly supplier: string;
  readonly measure: string;
  /** As of DurationCount. */
  readonly at: number | null;
  readonly count: number;
  readonly sum: number;
}

/** Reads the counts of calls to suppliers of all gateways. Calls of the last five seconds may be missing. Instants are epoch milliseconds. */
@Injectable()
export class SupplierTimeline {
  readonly #environment: string;

  constructor(
    @Inject(DATABASE) private readonly database: Pick<Database, 'reports' | 'clock'>,
    @Inject(CONFIG) { environment }: Config,
  ) {
    this.#environment = environment;
  }

  /** Now, on the clock of the stored minutes. */
  now(): number {
    return this.database.clock.now();
  }

  /** From the minute of `from` on, in steps, oldest first; steps without calls are missing. Without `supplier`, of all. */
  async points(from: number, stepSeconds: number, supplier?: string): Promise<readonly TimelinePoint[]> {
    const step = sql.raw(String(stepSeconds));
    const rows = await this.database.reports.rows<Omit<TimelinePoint, 'calls'> & { readonly calls: string }>(sql`
      select supplier_id as supplier, operation, cause,
        (floor(extract(epoch from minute) / ${step}) * ${step} * 1000)::float8 as at, sum(calls) as calls
      from supplier_calls where ${this.#since(from)} and ${this.#of(supplier)}
      group by 1, 2, 3, 4 order by 4`);
    return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
  }

  /** From the minute of `from` on: each minute from `recentFrom` on, and all earlier ones together. */
  async durations(from: number, recentFrom: number, supplier?: string): Promise<readonly DurationCount[]> {
    const rows = await this.database.reports.rows<Omit<DurationCount, 'calls'> & { readonly calls: string }>(sql`
      select supplier_id as supplier, operation, cause, bucket, ${minuteSince(recentFrom)} as at, sum(calls) as calls
      from supplier_calls where ${this.#since(from)} and ${this.#of(supplier)}
      group by 1, 2, 3, 4, 5`);
    return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
  }

  /** Requests that the gateways answered since the minute of `from`, by minute and bucket of duration. */
  async answers(from: number): Promise<readonly (DurationCount & { readonly at: number })[]> {
    const rows = await this.durations(from, from, '');
    return rows.filter((row): row is DurationCount & { at: number } => row.at !== null);
  }

  /** As durations. */
  async measures(from: number, recentFrom: number): Promise<readonly MeasurePoint[]> {
    const rows = await this.database.reports.rows<Omit<MeasurePoint, 'count'> & { readonly count: string }>(sql`
      select supplier_id as supplier, measure, ${minuteSince(recentFrom)} as at, sum(count) as count, sum(sum) as sum
      from supplier_measures where ${this.#since(from)} group by 1, 2, 3`);
    return rows.map((row) => ({ ...row, count: Number(row.count) }));
  }

  /** Calls by application since the minute of `from`: failed ones first, most calls first, at most 300 rows. */
  async applications(supplier: string, from: number): Promise<readonly ApplicationCalls[]> {
    const rows = await this.database.reports.rows<Omit<ApplicationCalls, 'calls'> & { readonly calls: string }>(sql`
      select f.application_id as "applicationId", coalesce(${ownedName(sql`max(a.name)`, sql`max(a.account_id)`)}, '') as name, f.operation, f.cause, sum(f.calls) as calls,
        (extract(epoch from max(f.slot)) * 1000)::float8 as "lastAt"
      from supplier_failures f left join applications a on a.id = f.application_id
      where f.environment = ${this.#environment} and f.supplier_id = ${supplier} and f.slot >= date_trunc('minute', ${instant(from)})
      group by 1, 3, 4 order by f.cause in ('answered', 'empty'), 5 desc, 1 limit 300`);
    return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
  }

  #since(from: number) {
    return sql`environment = ${this.#environment} and minute >= date_trunc('minute', ${instant(from)})`;
  }

  #of(supplier: string | undefined) {
    return supplier === undefined ? sql`supplier_id <> ''` : sql`supplier_id = ${supplier}`;
  }
}

function instant(epochMs: number) {
  return sql`${new Date(epochMs).toISOString()}::timestamptz`;
}

/** The minute in epoch milliseconds; null before `recentFrom`. */
function minuteSince(recentFrom: number) {
  return sql`case when minute >= date_trunc('minute', ${instant(recentFrom)}) then (extract(epoch from minute) * 1000)::float8 end`;
}
