import { Inject, Injectable } from '@nestjs/common';
import { and, desc, eq, gte, inArray, lt, lte, sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { requestRecords } from '../database/record-tables.js';
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
}

/** The last request of a page of the log; the next page begins after it. */
export interface LogCursor {
  readonly at: number;
  readonly requestId: string;
}

/** A request without its trace. */
export type LoggedRequest = Omit<RequestRecord, 'trace'>;

/** Durations of the kept requests of an operation, in milliseconds. */
export interface Percentiles {
  readonly operation: string;
  /** Number of kept requests. */
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

const { applicationId, at, requestId, operation, status, durationMs, trace } = requestRecords;
const LINE = { applicationId, at, requestId, operation, status, durationMs };
const MOST_OF_ONE_ID = 50;
const MOST_MEASURED = 5_000;
/** Later years have more digits, which PostgreSQL can't read. */
const LATEST = Date.UTC(9999, 11, 31);

/** Reads request records of the given applications. Requests of the last two seconds may not be written yet. */
@Injectable()
export class RequestLog {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database, 'reports'>) {}

  /** Up to `count` requests, newest first, starting after the cursor `after`. */
  async list(
    applicationIds: readonly string[],
    filter: RequestFilter,
    after: LogCursor | undefined,
    count: number,
  ): Promise<readonly LoggedRequest[]> {
    if (applicationIds.length === 0) return [];
    const rows = await this.database.reports.tables
      .select(LINE)
      .from(requestRecords)
      .where(
        and(
          inArray(applicationId, [...applicationIds]),
          filter.requestId === undefined ? undefined : eq(requestId, filter.requestId),
          filter.status && and(gte(status, filter.status[0]), lte(status, filter.status[1])),
          filter.operation === undefined ? undefined : eq(operation, filter.operation),
          filter.from === undefined ? undefined : gte(at, timeOf(filter.from)),
          filter.to === undefined ? undefined : lt(at, timeOf(filter.to)),
          after && sql`(${at}, ${requestId}) < (${timeOf(after.at).toISOString()}::timestamptz, ${after.requestId})`,
        ),
      )
      .orderBy(desc(at), desc(requestId))
      .limit(count);
    return rows.map((row) => ({ ...row, at: row.at.getTime() }));
  }

  /** The requests with an id, newest first. Callers choose ids, so there may be several. Empty = none is kept. */
  async find(applicationIds: readonly string[], id: string): Promise<readonly RequestRecord[]> {
    if (applicationIds.length === 0) return [];
    const rows = await this.database.reports.tables
      .select({ ...LINE, trace })
      .from(requestRecords)
      .where(and(inArray(applicationId, [...applicationIds]), eq(requestId, id)))
      .orderBy(desc(at))
      .limit(MOST_OF_ONE_ID);
    return rows.map((row) => ({ ...row, at: row.at.getTime(), trace: row.trace as TraceRecord }));
  }

  /** Percentiles of the newest 5,000 requests kept since `from` (epoch ms), by operation. */
  async percentiles(applicationIds: readonly string[], from: number): Promise<readonly Percentiles[]> {
    if (applicationIds.length === 0) return [];
    const newest = this.database.reports.tables
      .select({ operation, durationMs })
      .from(requestRecords)
      .where(and(inArray(applicationId, [...applicationIds]), gte(at, new Date(from))))
      .orderBy(desc(at))
      .limit(MOST_MEASURED)
      .as('newest');
    const rows = await this.database.reports.tables
      .select({
        operation: newest.operation,
        count: sql<string>`count(*)`,
        values: sql<number[]>`percentile_disc(array[0.5, 0.95, 0.99]) within group (order by ${newest.durationMs})`,
      })
      .from(newest)
      .groupBy(newest.operation);
    return rows.map(({ operation: name, count, values: [p50 = 0, p95 = 0, p99 = 0] }) => ({
      operation: name,
      count: Number(count),
      p50,
      p95,
      p99,
    }));
  }
}

/** The instant of epoch milliseconds from a URL. Any number is valid; one beyond all records means the latest instant. */
function timeOf(epochMs: number): Date {
  return new Date(Math.min(epochMs, LATEST));
}
