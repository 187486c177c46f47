import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { byIndex } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { instant, newest } from './request-log.js';

/** Which requests are searched; absent = any. Instants are epoch milliseconds. */
export interface ErrorFilter {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** operationId. */
  readonly operation?: string | undefined;
  /** The first and the last status of a range. */
  readonly status?: readonly [from: number, to: number] | undefined;
  /** Only errors of this supplier. */
  readonly supplier?: string | undefined;
}

/** Requests that returned the same error: an entry with the same reason, cause, supplier and field. */
export interface ErrorGroup {
  /** Null: the response had no entry, such as that of a client that disconnected. Those are grouped by status. */
  readonly reason: string | null;
  readonly cause: string | null;
  /** Null: not about a supplier. */
  readonly supplier: string | null;
  /** The invalid parameter or body field. */
  readonly field: string | null;
  readonly requests: number;
  /** The newest of these requests. */
  readonly newest: { readonly at: number; readonly requestId: string; readonly status: number };
}

/** The errors of the searched requests. */
export interface ErrorSummary {
  /** Most frequent first; empty = no errors. */
  readonly groups: readonly ErrorGroup[];
  /** How many groups there are, including those left out. */
  readonly found: number;
  /** Older requests weren't searched; undefined = all were. Epoch milliseconds. */
  readonly since: number | undefined;
}

/** How many requests are searched, the newest ones, and of how many the trace is parsed: each takes the database 0.1 to 0.2 ms. */
const MOST_SEARCHED = 1_000;
const MOST_PARSED = 250;

interface Row extends Omit<ErrorGroup, 'newest'> {
  readonly atMs: number;
  readonly requestId: string;
  readonly status: number;
  readonly found: number;
  readonly searched: number;
  readonly parsed: number;
  readonly parsedFromMs: number;
  readonly searchedFromMs: number;
}

/** Groups the errors in the request records of the given applications. Requests of the last two seconds may not be written yet. */
@Injectable()
export class ErrorGroups {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database, 'reports'>) {}

  /**
   * Up to `count` groups. Searches the newest 1,000 requests in the range of time, and of those with errors the newest 250. A
   * supplier without results isn't an error. Rejects if the database is unavailable.
   */
  async read(applicationIds: readonly string[], filter: ErrorFilter, count: number): Promise<ErrorSummary> {
    if (applicationIds.length === 0) return { groups: [], found: 0, since: undefined };
    const { from, to, operation, status, supplier } = filter;
    const isSearched = sql.join([
      sql`true`,
      ...(from === undefined ? [] : [sql` and at >= ${instant(from)}`]),
      ...(to === undefined ? [] : [sql` and at < ${instant(to)}`]),
    ]);
    // A trace without entries isn't parsed. Quotes inside of values are escaped, so no value looks like the member.
    const isParsed = sql.join([
      sql`(status >= 400 or position('"entries":[]' in trace::text) = 0)`,
      ...(operation === undefined ? [] : [sql` and operation = ${operation}`]),
      ...(status === undefined ? [] : [sql` and status between ${status[0]} and ${status[1]}`]),
    ]);
    const isError = sql.join([
      sql`reason is distinct from 'no_supplier_results' and (reason is not null or status >= 400)`,
      ...(supplier === undefined ? [] : [sql` and supplier = ${supplier}`]),
    ]);
    const rows = await byIndex(this.database.reports.tables)<Row>(sql`
      with searched as materialized (${newest(applicationIds, isSearched, MOST_SEARCHED)}),
      parsed as materialized (select * from searched where ${isParsed} order by at desc, request_id desc limit ${MOST_PARSED})
      select reason, cause, supplier, field, count(distinct (at, request_id))::int as requests,
        (extract(epoch from max(at)) * 1000)::float8 as "atMs",
        (array_agg(request_id order by at desc, request_id desc))[1] as "requestId",
        (array_agg(status order by at desc, request_id desc))[1] as status,
        (count(*) over ())::int as found,
        (select count(*)::int from searched) as searched, (select count(*)::int from parsed) as parsed,
        (select (extract(epoch from min(at)) * 1000)::float8 from searched) as "searchedFromMs",
        (select (extract(epoch from min(at)) * 1000)::float8 from parsed) as "parsedFromMs"
      from parsed left join lateral json_to_recordset(trace -> 'entries') as entry(reason text, cause text, supplier text, field text) on true
      where ${isError} group by reason, cause, supplier, field, case when reason is null then status end
      order by requests desc, "atMs" desc, reason, cause, supplier, field limit ${count}`);
    const [first] = rows;
    return { groups: rows.map(groupOf), found: first?.found ?? 0, since: first && sinceOf(first) };
  }
}

function groupOf({ reason, cause, supplier, field, requests, atMs, requestId, status }: Row): ErrorGroup {
  return { reason, cause, supplier, field, requests, newest: { at: atMs, requestId, status } };
}

function sinceOf({ searched, parsed, searchedFromMs, parsedFromMs }: Row): number | undefined {
  if (parsed === MOST_PARSED) return parsedFromMs;
  return searched === MOST_SEARCHED ? searchedFromMs : undefined;
}
