import { Inject, Injectable } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import { byIndex } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import type { RequestRecord, TraceRecord } from './request-record.js';

/** Which requests to return; absent = any. Instants are epoch milliseconds. */
export interface RequestFilter {
  readonly requestId?: string | undefined;
  /** The first and the last status of a range. */
  readonly status?: readonly [from: number, to: number] | undefined;
  /** operationId. */
  readonly operation?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** A supplier that was called, or is named in an entry of the response. */
  readonly supplier?: string | undefined;
  /** Of a call or an entry, of that supplier if one is given; `failed` = a call that failed, `empty` = one without results. */
  readonly cause?: string | undefined;
  /** A part of its sandbox scenario, in any case. */
  readonly scenario?: string | undefined;
  /** Mark of the reservation that it made, read, changed or cancelled (reservations/reservation-mark.ts). */
  readonly reservation?: string | undefined;
}

/** The last request of a page of the log; the next page begins after it. */
export interface LogCursor {
  readonly at: number;
  readonly requestId: string;
}

/** A request without its trace. */
export type LoggedRequest = Omit<RequestRecord, 'trace'>;

/** A page of the log. */
export interface LogPage {
  /** Newest first. */
  readonly requests: readonly LoggedRequest[];
  /** Where the next page begins; undefined = there are no older requests. */
  readonly next: LogCursor | undefined;
  /** The most requests that were searched for it. */
  readonly most: number;
  /** Whether it ends where it does because that many were searched, not because it is full. */
  readonly isCut: boolean;
}

/** How many requests are searched for one page, so that a filter that fits few of them costs no more than others. */
const MOST_SEARCHED = 5_000;
/** How many traces are parsed for one page: each takes the database 0.1 to 0.2 ms, in which an embedded one does nothing else. */
const MOST_PARSED = 1_000;

const COLUMNS = sql.raw(
  `application_id as "applicationId", (extract(epoch from at) * 1000)::float8 as "atMs", request_id as "requestId", operation, status, duration_ms as "durationMs"`,
);
const MOST_OF_ONE_ID = 50;
/** Later years have more digits, which PostgreSQL can't read. */
const LATEST = Date.UTC(9999, 11, 31);

/** A row with COLUMNS. */
type Row = Omit<LoggedRequest, 'at'> & { readonly atMs: number };

/** Reads request records of the given applications. Requests of the last two seconds may not be written yet. */
@Injectable()
export class RequestLog {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database, 'reports'>) {}

  /** Up to `count` requests, newest first, starting after the cursor `after`. Searches the next 5,000 requests, or 1,000 if their traces are filtered. */
  async list(
    applicationIds: readonly string[],
    filter: RequestFilter,
    after: LogCursor | undefined,
    count: number,
  ): Promise<LogPage> {
    const { requestId, status, operation, reservation, from, to } = filter;
    const isSearched = sql.join([
      requestId === undefined ? sql`true` : sql`request_id = ${requestId}`,
      ...(from === undefined ? [] : [sql` and at >= ${instant(from)}`]),
      ...(to === undefined ? [] : [sql` and at < ${instant(to)}`]),
      ...(after === undefined ? [] : [sql` and (at, request_id) < (${instant(after.at)}, ${after.requestId})`]),
    ]);
    const inTraces = traceConditions(filter);
    const most = inTraces.length === 0 ? MOST_SEARCHED : MOST_PARSED;
    const isFound = sql.join([
      sql`true`,
      ...(status === undefined ? [] : [sql` and status between ${status[0]} and ${status[1]}`]),
      ...(operation === undefined ? [] : [sql` and operation = ${operation}`]),
      // A search of its text: quotes inside of values are escaped, so no value looks like the member.
      ...(reservation === undefined ? [] : [sql` and position(${`"reservation":"${reservation}"`} in trace::text) > 0`]),
      ...inTraces,
    ]);
    // Also the last request searched, where the next page begins if too few are found.
    const rows = await this.#rows<Row & { readonly isFound: boolean; readonly number: number }>(
      applicationIds,
      (own) => sql`
        select * from (
          select ${COLUMNS}, ${isFound} as "isFound", (row_number() over (order by at desc, request_id desc))::int as number
          from (${newest(own, isSearched, most)}) searched) numbered
        where "isFound" or number = ${most} order by number limit ${count + 1}`,
    );
    const found = rows.filter((row) => row.isFound).map(loggedRequest);
    const requests = found.slice(0, count);
    const isFull = found.length > count;
    const lastSearched = rows.find(({ number }) => number === most);
    const last = isFull ? requests.at(-1) : lastSearched && loggedRequest(lastSearched);
    return {
      requests,
      next: last && { at: last.at, requestId: last.requestId },
      most,
      isCut: !isFull && lastSearched !== undefined,
    };
  }

  /** Up to 50 requests with an id, newest first. Callers choose ids, so there may be several. Empty = none is kept. */
  async find(applicationIds: readonly string[], id: string): Promise<readonly RequestRecord[]> {
    const rows = await this.#rows<Row & { readonly trace: TraceRecord }>(
      applicationIds,
      (own) => sql`select ${COLUMNS}, trace from (${newest(own, sql`request_id = ${id}`, MOST_OF_ONE_ID)}) one`,
    );
    return rows.map((row) => ({ ...loggedRequest(row), trace: row.trace }));
  }

  async #rows<T>(applicationIds: readonly string[], statement: (own: readonly string[]) => SQL): Promise<readonly T[]> {
    return applicationIds.length === 0 ? [] : await byIndex(this.database.reports.tables)<T>(statement(applicationIds));
  }
}

/** Conditions for which the trace is parsed. */
function traceConditions({ supplier, cause, scenario }: RequestFilter): readonly SQL[] {
  return [
    ...(scenario === undefined ? [] : [sql` and position(lower(${scenario}) in lower(trace ->> 'scenario')) > 0`]),
    ...(supplier === undefined && cause === undefined ? [] : [sql` and (${callMatches(sql`trace`, supplier, cause)})`]),
  ];
}

/** Whether a call, or an entry of the response, is of the supplier and has the cause, as in RequestFilter. */
export function callMatches(trace: SQL, supplier: string | undefined, cause: string | undefined): SQL {
  const own = supplier === undefined ? sql`true` : sql`c ->> 'supplier' = ${supplier}`;
  const isOutcome = cause === 'failed' || cause === 'empty';
  const called =
    cause === undefined ? sql`true` : sql`c ->> ${sql.raw(isOutcome ? `'outcome'` : `'cause'`)} = ${cause}`;
  const listed = (member: 'calls' | 'entries', why: SQL) =>
    sql`exists (select from json_array_elements(${trace} -> ${sql.raw(`'${member}'`)}) c where ${own} and ${why})`;
  return isOutcome ? listed('calls', called) : sql`${listed('calls', called)} or ${listed('entries', called)}`;
}

/**
 * The newest `most` rows of applications that meet a condition, newest first. Each application is read in the order of its
 * index, so that no more rows are read, however many there are, and none of other applications.
 */
function newest(applicationIds: readonly string[], condition: SQL, most: number): SQL {
  const each = applicationIds.map(
    (id) => sql`(select * from request_log where application_id = ${id} and ${condition}
      order by at desc, request_id desc limit ${most})`,
  );
  return sql`select * from (${sql.join(each, sql` union all `)}) own order by at desc, request_id desc limit ${most}`;
}

function loggedRequest({ applicationId, atMs, requestId, operation, status, durationMs }: Row): LoggedRequest {
  return { applicationId, at: atMs, requestId, operation, status, durationMs };
}

/** The instant of epoch milliseconds from a URL. Any number is valid; one beyond all records means the latest instant. */
function instant(epochMs: number): SQL {
  return sql`${new Date(Math.min(epochMs, LATEST)).toISOString()}::timestamptz`;
}
