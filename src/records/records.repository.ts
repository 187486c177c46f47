import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { OWN_REQUEST_ID } from '../http/request-id.js';
import type { RequestRecord } from './request-record.js';
import type { SupplierUsageRow } from './supplier-usage-counters.js';
import type { UsageRow } from './usage-counters.js';

/** A batch of counted calls, numbered by the gateway that counted them: 1, 2, 3 … */
export interface UsageBatch {
  readonly number: number;
  readonly rows: readonly UsageRow[];
  readonly suppliers: readonly SupplierUsageRow[];
}

/**
 * Writes usage counters and requests, each method in one statement. Those from before the time they are kept, or from more
 * than a day ahead of the database's clock, are left out. Rejects with the driver's error if the database is unavailable.
 */
@Injectable()
export class RecordsRepository {
  /** Identifies this process among the gateways that share the database. */
  readonly #gateway = `gateway_${randomBytes(9).toString('base64url')}`;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'records'>,
  ) {}

  /**
   * Adds a batch to the counters. If it is unclear whether a failed statement was executed, the same batch can be sent
   * again: it counts once, because the statement that adds it also stores its number. Calls of deleted applications are left
   * out: what is kept about their account may already be erased (docs/accounts.md#download-and-delete).
   */
  async addUsage({ number, rows, suppliers }: UsageBatch): Promise<void> {
    // The same order on all gateways, so that two that update the same rows don't deadlock.
    const lines = rows
      .map(({ applicationId, minute, operation, status, calls, durationMs, buckets }) => ({
        a: applicationId,
        m: minute * 60,
        o: operation,
        s: status,
        c: calls,
        d: Math.round(durationMs),
        b: buckets,
      }))
      .sort((one, two) => (`${one.a} ${one.m} ${one.o} ${one.s}` < `${two.a} ${two.m} ${two.o} ${two.s}` ? -1 : 1));
    const { usageDays } = this.config.records;
    await this.database.rows(sql`
      with mark as (
        insert into usage_batches as known (gateway, number, written_at) values (${this.#gateway}, ${number}, now())
        on conflict (gateway) do update set number = excluded.number, written_at = excluded.written_at where known.number < excluded.number
        returning 1),
      suppliers as (${this.#addSuppliers(suppliers)})
      insert into usage_counters as known (application_id, minute, operation, status, calls, duration_ms, buckets)
      select a, to_timestamp(m), o, s, c, d, b
      from json_to_recordset(${JSON.stringify(lines)}::json) as line (a text, m bigint, o text, s int, c int, d bigint, b int[])
      where exists (select 1 from mark) and ${isLive(sql`a`)} and ${this.#hasPartition(sql`to_timestamp(m)`, usageDays)}
      on conflict (application_id, minute, operation, status)
      do update set calls = known.calls + excluded.calls, duration_ms = known.duration_ms + excluded.duration_ms,
        buckets = ${ADDED_BUCKETS}`);
  }

  /** The statement that adds rows if there is a `mark`. */
  #addSuppliers(rows: readonly SupplierUsageRow[]): SQL {
    const lines = rows
      .map((row) => ({
        ...{ a: row.applicationId, m: row.slot * 60, s: row.supplier, o: row.operation, c: row.cause, n: row.calls },
        ...{ r: row.remembered, b: row.buckets, f: row.offers, h: row.cheapest },
        ...{ p: row.compared, g: row.changed, d: row.changeBasisPoints },
      }))
      .sort((one, two) =>
        `${one.a} ${one.m} ${one.s} ${one.o} ${one.c}` < `${two.a} ${two.m} ${two.s} ${two.o} ${two.c}` ? -1 : 1,
      );
    return sql`
      insert into supplier_usage as known (application_id, slot, supplier_id, operation, cause, calls, remembered, buckets, offers, cheapest,
        compared, changed, change_bp)
      select a, to_timestamp(m), s, o, c, n, r, b, f, h, p, g, d from json_to_recordset(${JSON.stringify(lines)}::json)
        as line (a text, m bigint, s text, o text, c text, n int, r int, b int[], f bigint, h int, p int, g int, d bigint)
      where exists (select 1 from mark) and ${isLive(sql`a`)} and ${this.#hasPartition(sql`to_timestamp(m)`, this.config.records.usageDays)}
      on conflict (application_id, slot, supplier_id, operation, cause)
      do update set calls = known.calls + excluded.calls, remembered = known.remembered + excluded.remembered, buckets = ${ADDED_BUCKETS},
        offers = known.offers + excluded.offers, cheapest = known.cheapest + excluded.cheapest,
        compared = known.compared + excluded.compared, changed = known.changed + excluded.changed,
        change_bp = known.change_bp + excluded.change_bp`;
  }

  /**
   * Stores request records, except those of deleted applications, and those with an X-Request-Id of the caller's own about a reservation
   * whose personal data is erased (reservations/personal-data.ts). One that is already stored is left unchanged.
   */
  async keep(records: readonly RequestRecord[]): Promise<void> {
    const lines = records.map(
      ({ applicationId, at, requestId, operation, status, durationMs, reservationId, trace }) => ({
        a: applicationId,
        t: new Date(at).toISOString(),
        i: requestId,
        o: operation,
        s: status,
        d: durationMs,
        r: reservationId,
        x: trace,
      }),
    );
    await this.database.rows(sql`
      insert into request_log (application_id, at, request_id, operation, status, duration_ms, trace)
      select a, t, i, o, s, d, x
      from json_to_recordset(${JSON.stringify(lines)}::json) as line (a text, t timestamptz, i text, o text, s int, d int, r text, x json)
      where ${isLive(sql`a`)} and ${this.#hasPartition(sql`t`, this.config.records.days)} and not exists (
        select 1 from request_log r where r.request_id = i and r.application_id = a and r.at = t and r.operation = o and r.duration_ms = d)
        and not exists (select from reservations v where v.id = line.r and v.personal is null and i !~ ${OWN_REQUEST_ID})`);
  }

  /** Deletes up to `most` requests of an application except its newest `newest`, and returns their number. */
  async forgetBeyond(applicationId: string, newest: number, most: number): Promise<number> {
    const rows = await this.database.rows(sql`
      with beyond as materialized (
        select tableoid as part, ctid as line from request_log where application_id = ${applicationId}
        order by at desc offset ${newest} limit ${most})
      delete from request_log where ctid = any(array(select line from beyond)) and (tableoid, ctid) in (select part, line from beyond)
      returning 1`);
    return rows.length;
  }

  /** Deletes the batches of gateways that have written nothing for a day and therefore no longer run. */
  async forgetGateways(): Promise<void> {
    await this.database.rows(sql`delete from usage_batches where written_at < now() - interval '1 day'`);
  }

  /**
   * Whether there is a partition for an instant: it is not older than what is kept, and at most a day ahead of the database's
   * clock (record-partitions.ts).
   */
  #hasPartition(instant: SQL, days: number): SQL {
    return sql`${instant} >= now() - ${days} * interval '1 day' and ${instant} < now() + interval '1 day'`;
  }
}

/** In an `on conflict` clause: the sums by bucket. A row without buckets was counted by an earlier version. */
const ADDED_BUCKETS = sql.raw(`(select array_agg(coalesce(one, 0) + coalesce(other, 0) order by place)
  from unnest(known.buckets, excluded.buckets) with ordinality as sums (one, other, place))`);

function isLive(applicationId: SQL): SQL {
  return sql`not exists (select from applications p where p.id = ${applicationId} and p.state = 'deleted')`;
}
