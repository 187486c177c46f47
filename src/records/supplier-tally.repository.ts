import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import type { Tallies } from '../metrics/supplier-tallies.js';

const MINUTE_MS = 60_000;
/** Calls by application are deleted in larger steps: there are more of them. */
const APPLICATIONS_FACTOR = 5;

/** A batch of tallies, numbered by the gateway that counted them: 1, 2, 3 … */
export interface TallyBatch extends Tallies {
  readonly number: number;
}

/** Writes what gateways counted about suppliers. Rejects with the driver's error if the database is unavailable. */
@Injectable()
export class SupplierTallyRepository {
  /** Identifies this process among the gateways that share the database. */
  readonly #gateway = `calls_${randomBytes(9).toString('base64url')}`;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment'>,
  ) {}

  /** Adds a batch in one statement. Sent again because it is unclear whether it was executed, it counts once. */
  async add({ number, calls, applications, measures }: TallyBatch): Promise<void> {
    const { environment } = this.config;
    // What is stored has the database's time (decision 0033).
    const shift = Math.round((this.database.clock.now() - Date.now()) / MINUTE_MS);
    const seconds = (minute: number): number => (minute + shift) * 60;
    const callLines = calls.flatMap(({ supplier, operation, cause, minute, buckets }) =>
      buckets.flatMap((count, b) =>
        count === 0 ? [] : [{ s: supplier, o: operation, c: cause, m: seconds(minute), b, n: count }],
      ),
    );
    const applicationLines = new Map<string, { s: string; o: string; c: string; m: number; a: string; n: number }>();
    for (const { supplier, operation, cause, minute, application, calls: count } of applications) {
      const slot = seconds(minute);
      const key = [supplier, slot, operation, cause, application].join('|');
      const known = applicationLines.get(key);
      if (known) known.n += count;
      else applicationLines.set(key, { s: supplier, o: operation, c: cause, m: slot, a: application, n: count });
    }
    const measureLines = measures.map(({ supplier, measure, minute, count, sum }) => ({
      s: supplier,
      k: measure,
      m: seconds(minute),
      n: count,
      v: sum,
    }));
    // The same order on all gateways, so that two that update the same rows don't deadlock.
    await this.database.rows(sql`
      with mark as (
        insert into usage_batches as known (gateway, number, written_at) values (${this.#gateway}, ${number}, now())
        on conflict (gateway) do update set number = excluded.number, written_at = excluded.written_at where known.number < excluded.number
        returning 1),
      measured as (
        insert into supplier_measures as known (environment, supplier_id, measure, minute, count, sum)
        select ${environment}, s, k, to_timestamp(m), n, v
        from json_to_recordset(${JSON.stringify(measureLines)}::json) as line (s text, k text, m bigint, n int, v float8)
        where exists (select 1 from mark) order by m, s, k
        on conflict (environment, minute, supplier_id, measure)
        do update set count = known.count + excluded.count, sum = known.sum + excluded.sum),
      failed as (
        insert into supplier_failures as known (environment, supplier_id, slot, operation, cause, application_id, calls)
        select ${environment}, s, to_timestamp(m), o, c, a, n
        from json_to_recordset(${JSON.stringify([...applicationLines.values()])}::json) as line (s text, o text, c text, m bigint, a text, n int)
        where exists (select 1 from mark) order by m, s, o, c, a
        on conflict (environment, supplier_id, slot, operation, cause, application_id)
        do update set calls = known.calls + excluded.calls)
      insert into supplier_calls as known (environment, supplier_id, minute, operation, cause, bucket, calls)
      select ${environment}, s, to_timestamp(m), o, c, b, n
      from json_to_recordset(${JSON.stringify(callLines)}::json) as line (s text, o text, c text, m bigint, b int, n int)
      where exists (select 1 from mark) order by m, s, o, c, b
      on conflict (environment, minute, supplier_id, operation, cause, bucket)
      do update set calls = known.calls + excluded.calls`);
  }

  /** Deletes what is older than eight days, calls by application after two, up to `most` rows of each (of calls by application five times as many). */
  async forget(most: number): Promise<void> {
    const { environment } = this.config;
    const old = (
      table: 'supplier_calls' | 'supplier_measures' | 'supplier_failures',
      column: string,
      days: number,
      rows = most,
    ) =>
      this.database.rows(sql`
        delete from ${sql.identifier(table)} where ctid = any(array(
          select ctid from ${sql.identifier(table)}
          where environment = ${environment} and ${sql.identifier(column)} < now() - ${days} * interval '1 day' limit ${rows}))`);
    await old('supplier_calls', 'minute', 8);
    await old('supplier_measures', 'minute', 8);
    await old('supplier_failures', 'slot', 2, most * APPLICATIONS_FACTOR);
  }
}
