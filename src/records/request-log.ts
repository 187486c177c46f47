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
  /** The cause of a call or an entry, of that supplier if one is given; `failed` = a call that failed, `empty` = one without results. */
  readonly cause?: string | undefined;
  /** A part of its sandbox scenario, in any case. */
  readonly scenario?: string | undefined;
  /** Mark of the reservation that it made, read, changed or cancelled (reservations/reservation-mark.ts), or several of which it has one. */
  readonly reservation?: string | readonly string[] | undefined;
}

/** The last request of a page of the log; the next page begins after it. */
export interface LogCursor {
  readonly at: number;
  readonly requestId: string;
}

/** A request without its trace. */
export type LoggedRequest = Omit<RequestRecord, 'trace'>;

/** A request of a list. `trace` names what failed; absent unless it was answered with an error or in part. */
export type ListedRequest = LoggedRequest & { readonly trace?: TraceRecord };

/** A page of the log. */
export interface LogPage {
  /** Newest first. */
  readonly requests: readonly ListedRequest[];
  /** Where the next page begins; undefined = there are no older requests. */
  readonly next: LogCursor | undefined;
  /** The most requests that were searched for it. */
  readonly most: number;
  /** Whether it ends where it does because that many were searched, not because it is full. */
  readonly isCut: boolean;
}

/** How many requests are searched for one page, so that a filter that matches few of them costs no more than others. */
const MOST_SEARCHED = 5_000;
/** How many traces are parsed for one page, and by one statement: each takes the database 0.1 to 0.2 ms, in which an embedded one does nothing else. */
const MOST_PARSED = 1_000;
const PARSED_AT_ONCE = 250;

const COLUMNS = sql.raw(
  `application_id as "applicationId", (extract(epoch from at) * 1000)::float8 as "atMs", request_id as "requestId", operation, status, duration_ms as "durationMs"`,
);
/** Those columns, once they have their names. */
const SHOWN = sql.raw(`"applicationId", "atMs", "requestId", operation, status, "durationMs", "isFound", number`);
const MOST_OF_ONE_ID = 50;
/** Later years have more digits, which PostgreSQL can't read. */
const LATEST = Date.UTC(9999, 11, 31);

/** A row with COLUMNS. */
type Row = Omit<LoggedRequest, 'at'> & { readonly atMs: number };

/** A row that was found, or the last one searched. */
type SearchedRow = Row & { readonly isFound: boolean; readonly number: number; readonly trace: TraceRecord | null };

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
    const isParsed = traceConditions(filter).length > 0;
    const [most, step] = isParsed ? [MOST_PARSED, PARSED_AT_ONCE] : [MOST_SEARCHED, MOST_SEARCHED];
    const found: ListedRequest[] = [];
    let last = after;
    let isEnd = false;
    for (let searched = 0; searched < most && found.length <= count && !isEnd; searched += step) {
      const rows = await this.#search(applicationIds, filter, last, step, count + 1 - found.length);
      found.push(...rows.filter((row) => row.isFound).map(listedRequest));
      const end = rows.find(({ number }) => number === step);
      isEnd = end === undefined;
      if (end) last = cursorAt(loggedRequest(end));
    }
    const requests = found.slice(0, count);
    const isFull = found.length > count;
    const [lastShown] = requests.slice(-1);
    const next = isFull ? lastShown && cursorAt(lastShown) : isEnd ? undefined : last;
    return { requests, next, most, isCut: !isFull && !isEnd };
  }

  /** Those found among the next `step` requests, up to `count`, and the last one searched if so many are left. */
  async #search(
    applicationIds: readonly string[],
    filter: RequestFilter,
    after: LogCursor | undefined,
    step: number,
    count: number,
  ): Promise<readonly SearchedRow[]> {
    const { requestId, status, operation, reservation, from, to } = filter;
    const isSearched = sql.join([
      requestId === undefined ? sql`true` : sql`request_id = ${requestId}`,
      ...(from === undefined ? [] : [sql` and at >= ${instant(from)}`]),
      ...(to === undefined ? [] : [sql` and at < ${instant(to)}`]),
      ...(after === undefined ? [] : [sql` and (at, request_id) < (${instant(after.at)}, ${after.requestId})`]),
    ]);
    const isFound = sql.join([
      sql`true`,
      ...(status === undefined ? [] : [sql` and status between ${status[0]} and ${status[1]}`]),
      ...(operation === undefined ? [] : [sql` and operation = ${operation}`]),
      ...(reservation === undefined ? [] : [sql` and ${hasMark(sql`trace`, reservation)}`]),
      ...traceConditions(filter),
    ]);
    // Also the last request searched, where the next page begins if too few are found.
    return await this.#rows<SearchedRow>(
      applicationIds,
      (own) => sql`
        select ${SHOWN}, case when status = 206 or status >= 400 then trace end as trace from (
          select ${COLUMNS}, trace, ${isFound} as "isFound", (row_number() over (order by at desc, request_id desc))::int as number
          from (${newest(own, isSearched, step)}) searched) numbered
        where "isFound" or number = ${step} order by number limit ${count}`,
    );
  }

  /** Up to 50 requests with an id, newest first. Callers choose ids, so there may be several. Empty = none is kept. */
  async find(applicationIds: readonly string[], id: string): Promise<readonly RequestRecord[]> {
    return await this.#traced(applicationIds, sql`request_id = ${id}`, MOST_OF_ONE_ID);
  }

  /** The newest requests with their traces, up to `count`, newest first. Empty = none is kept. */
  async newest(applicationIds: readonly string[], count: number): Promise<readonly RequestRecord[]> {
    return await this.#traced(applicationIds, sql`true`, count);
  }

  async #traced(applicationIds: readonly string[], condition: SQL, count: number): Promise<readonly RequestRecord[]> {
    const rows = await this.#rows<Row & { readonly trace: TraceRecord }>(
      applicationIds,
      (own) =>
        sql`select ${COLUMNS}, trace from (${newest(own, condition, count)}) traced order by at desc, request_id desc`,
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

/** Whether a trace has one of the marks of a reservation. Searches its text: quotes inside of values are escaped, so no value looks like the member. */
export function hasMark(trace: SQL, marks: string | readonly string[]): SQL {
  const found = [marks].flat().map((mark) => sql`position(${`"reservation":"${mark}"`} in ${trace}::text) > 0`);
  return sql`(${sql.join(found, sql` or `)})`;
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
export function newest(applicationIds: readonly string[], condition: SQL, most: number): SQL {
  const each = applicationIds.map(
    (id) => sql`(select * from request_log where application_id = ${id} and ${condition}
      order by at desc, request_id desc limit ${most})`,
  );
  return sql`select * from (${sql.join(each, sql` union all `)}) own order by at desc, request_id desc limit ${most}`;
}

function cursorAt({ at, requestId }: LoggedRequest): LogCursor {
  return { at, requestId };
}

function loggedRequest({ applicationId, atMs, requestId, operation, status, durationMs }: Row): LoggedRequest {
  return { applicationId, at: atMs, requestId, operation, status, durationMs };
}

function listedRequest({ trace, ...row }: SearchedRow): ListedRequest {
  return { ...loggedRequest(row), ...(trace && { trace }) };
}

/** The instant of epoch milliseconds from a URL. Any number is valid; one beyond all records means the latest instant. */
export function instant(epochMs: number): SQL {
  return sql`${new Date(Math.min(epochMs, LATEST)).toISOString()}::timestamptz`;
}
