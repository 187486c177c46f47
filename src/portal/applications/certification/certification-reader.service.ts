import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { byIndex } from '../../../database/by-index.js';
import type { Database } from '../../../database/database.js';
import { DATABASE } from '../../../database/database.module.js';
import { subjectMark } from '../../../records/request-marks.js';
import { type Certification, judge } from './certification.js';
import { type Booked, MINUTE_MS, type Seen } from './evidence.js';

const DAYS = 7;
/** Requests and reservations that are read at most, the newest ones, so that the page costs no more for a busy application. */
const MOST_REQUESTS = 2_000;
const MOST_BOOKINGS = 500;
/** Events of its webhooks: those of so many bookings at five endpoints. */
const MOST_DELIVERIES = 20_000;

/** A row of `#requests`. */
type Row = Omit<Seen, 'endedAt' | 'isPartial' | 'isPaged'> & {
  readonly durationMs: number;
  readonly hasEntries: boolean;
  readonly isPaged: boolean | null;
};

/**
 * Judges applications of the sandbox by their own requests, whose records a production gateway shares. Calls of the last
 * seconds may be missing. Rejects if the database is unavailable.
 */
@Injectable()
export class CertificationReader {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database, 'reports'>) {}

  /** By the newest 2,000 requests of the last 7 days, or since its developer began a new certification. `now`: epoch milliseconds. */
  async of(applicationId: string, now = Date.now()): Promise<Certification> {
    const since = await this.#since(applicationId, now);
    const requests = await this.#requests(applicationId, since);
    const isCut = requests.length === MOST_REQUESTS;
    const first = isCut ? (requests[0]?.at ?? since) : since;
    const counted = await this.#counted(applicationId, first, isCut);
    const bookings = await this.#bookings(applicationId, first);
    const judged = judge({ requests, bookings, now }, requests.length >= counted);
    return { judged, since: first, requests: requests.length, counted: Math.max(counted, requests.length) };
  }

  async #since(applicationId: string, now: number): Promise<number> {
    const [row] = await this.database.reports.rows<{ readonly at: number | null }>(
      sql`select (extract(epoch from judged_from) * 1000)::float8 as at from applications where id = ${applicationId}`,
    );
    return Math.max(row?.at ?? 0, now - DAYS * 24 * 60 * MINUTE_MS);
  }

  /** Each operator of JSON would parse a complete trace again, so all parts are read in one step. */
  async #requests(applicationId: string, since: number): Promise<readonly Seen[]> {
    const rows = await byIndex(this.database.reports.tables)<Row>(sql`
      select request_id as id, (extract(epoch from at) * 1000)::float8 as at, duration_ms as "durationMs", operation, status,
        coalesce(json_array_length(entries), 0) > 0 as "hasEntries", entries -> 0 ->> 'cause' as cause, entries -> 0 ->> 'field' as field,
        token, same, key, subject, paged as "isPaged", wait, retry
      from (select * from request_log where application_id = ${applicationId} and at >= ${instant(since)}
        order by at desc, request_id desc limit ${MOST_REQUESTS}) newest
      cross join lateral json_to_record(trace) as parts(entries json, marks json)
      left join lateral json_to_record(marks) as own(token text, same text, key text, subject text, paged boolean, wait float8, retry text) on true
      order by at, request_id`);
    return rows.map(({ durationMs, hasEntries, isPaged, ...row }) => ({
      ...row,
      endedAt: row.at + durationMs,
      isPartial: hasEntries,
      isPaged: isPaged ?? false,
    }));
  }

  /** Calls that were counted in whole minutes: after `first` if earlier requests exist, as those of its minute may be among them. */
  async #counted(applicationId: string, first: number, isCut: boolean): Promise<number> {
    const minute = (isCut ? Math.floor(first / MINUTE_MS) + 1 : Math.ceil(first / MINUTE_MS)) * MINUTE_MS;
    const [row] = await byIndex(this.database.reports.tables)<{ readonly calls: number }>(sql`
      select coalesce(sum(calls), 0)::float8 as calls from usage_counters
      where application_id = ${applicationId} and minute >= ${instant(minute)}`);
    return row?.calls ?? 0;
  }

  async #bookings(applicationId: string, since: number): Promise<readonly Booked[]> {
    const rows = await byIndex(this.database.reports.tables)<Omit<Booked, 'subject' | 'toldAt'> & Cleared>(sql`
      select r.id, ${epochMs('r.created_at')} as "createdAt", ${epochMs('clear.at')} as "clearAt", clear.at::text as clear,
        r.state = 'cancelled' as "isCancelled",
        r.state in ('confirmed', 'on_request') and (r.rental ->> 'dropoffDate') >= to_char(now(), 'YYYY-MM-DD') as "isActive"
      from (select * from reservations where application_id = ${applicationId} and created_at >= ${instant(since)}
        order by created_at desc, id desc limit ${MOST_BOOKINGS}) r
      left join lateral (select min(e.at) as at from reservation_events e where e.reservation_id = r.id
        and e.to_state not in ('pending', 'unknown', 'on_request')) clear on true`);
    const told = await this.#told(applicationId, rows);
    return rows.map(({ clear: _, ...row }) => ({
      ...row,
      subject: subjectMark(applicationId, row.id),
      toldAt: told.get(row.id) ?? null,
    }));
  }

  /**
   * When the last event of a reservation that happened since its state was clear was delivered, in epoch milliseconds. The
   * window brings both together in one pass: a join without statistics would compare each with each.
   */
  async #told(applicationId: string, booked: readonly Cleared[]): Promise<ReadonlyMap<string, number>> {
    if (booked.length === 0) return new Map();
    const cleared = JSON.stringify(booked.map(({ id, clear }) => ({ id, clear })));
    const rows = await byIndex(this.database.reports.tables)<{ readonly id: string; readonly at: number }>(sql`
      select id, ${epochMs('max(last_at)')} as at from (
        select id, at, last_at, max(clear) over (partition by id) as clear from (
          select id, clear, null::timestamptz as at, null::timestamptz as last_at
            from json_to_recordset(${cleared}::json) as booked(id text, clear timestamptz)
          union all select subject, null, at, last_at from (select * from webhook_deliveries
            where application_id = ${applicationId} order by id desc limit ${MOST_DELIVERIES}) newest
            where state = 'delivered') both_kinds) known
      where at >= clear group by id`);
    return new Map(rows.map(({ id, at }) => [id, at]));
  }
}

/** A reservation, and the first instant of a state that isn't pending as PostgreSQL writes it; null if there is none. */
interface Cleared {
  readonly id: string;
  readonly clear: string | null;
}

function instant(at: number) {
  return sql`${new Date(at).toISOString()}::timestamptz`;
}

function epochMs(column: string) {
  return sql.raw(`(extract(epoch from ${column}) * 1000)::float8`);
}
