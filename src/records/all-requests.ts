import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import { byIndex } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { ownedName } from './owned-name.js';
import { callMatches, hasMark } from './request-log.js';
import type { RequestRecord } from './request-record.js';

/** Which requests of all accounts to return; absent = any. */
export interface AllRequestsFilter {
  readonly requestId?: string | undefined;
  readonly applicationId?: string | undefined;
  /** As in RequestFilter. */
  readonly supplier?: string | undefined;
  readonly cause?: string | undefined;
  readonly status?: readonly [from: number, to: number] | undefined;
  /** Mark of a reservation that they created, read or changed, or several of which they have one. */
  readonly reservation?: string | readonly string[] | undefined;
  /** Epoch milliseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A request with the name of its application and, in parentheses, of its account. */
export interface NamedRequest extends RequestRecord {
  readonly applicationName: string;
}

/** Requests in one step of one minute, over all accounts. */
export interface TrafficPoint {
  /** Start of the minute, epoch milliseconds. */
  readonly at: number;
  readonly operation: string;
  readonly status: number;
  readonly calls: number;
  /** Sum over the calls. */
  readonly durationMs: number;
}

/** How many of the newest requests of each application are searched, so that a page costs no more than that. */
export const SEARCHED_PER_APPLICATION = 500;
/** How many of these have their traces parsed, the newest first, however many applications there are. */
const MOST_PARSED = 5_000;

/** Reads request records and counts of all accounts of the environment, for operators only. */
@Injectable()
export class AllRequests {
  readonly #environment: string;

  constructor(
    @Inject(DATABASE) private readonly database: Pick<Database, 'reports'>,
    @Inject(CONFIG) { environment }: Config,
  ) {
    this.#environment = environment;
  }

  /** Up to `count` requests, newest first. With a filter, searches the newest 500 of each application, and of all the newest 5,000 if their traces are filtered. */
  async list(filter: AllRequestsFilter, count: number): Promise<readonly NamedRequest[]> {
    const { requestId, applicationId, supplier, cause, status, reservation, from, to } = filter;
    const all = [
      sql`r.application_id = a.id`,
      ...(requestId === undefined ? [] : [sql`r.request_id = ${requestId}`]),
      ...(from === undefined ? [] : [sql`r.at >= ${instant(from)}`]),
      ...(reservation === undefined ? [] : [hasMark(sql`r.trace`, reservation)]),
      ...(to === undefined ? [] : [sql`r.at < ${instant(to)}`]),
    ];
    const isParsed = supplier !== undefined || cause !== undefined;
    const found = [
      sql`true`,
      ...(status === undefined ? [] : [sql`s.status between ${status[0]} and ${status[1]}`]),
      ...(isParsed ? [sql`(${callMatches(sql`s.trace`, supplier, cause)})`] : []),
    ];
    // What isn't filtered afterwards needn't be searched.
    const perApplication = found.length === 1 ? Math.min(count, SEARCHED_PER_APPLICATION) : SEARCHED_PER_APPLICATION;
    const rows = await byIndex(this.database.reports.tables)<Omit<NamedRequest, 'at'> & { readonly atMs: number }>(sql`
      select s.application_id as "applicationId", ${ownedName(sql`s.name`, sql`s.account_id`)} as "applicationName", (extract(epoch from s.at) * 1000)::float8 as "atMs",
        s.request_id as "requestId", s.operation, s.status, s.duration_ms as "durationMs", s.trace
      from (select a.name, a.account_id, newest.* from applications a cross join lateral (
          select * from request_log r where ${sql.join(all, sql` and `)} order by r.at desc, r.request_id desc limit ${perApplication}) newest
        where a.environment = ${this.#environment} and ${applicationId === undefined ? sql`true` : sql`a.id = ${applicationId}`}
        ${isParsed ? sql`order by newest.at desc limit ${MOST_PARSED}` : sql``}) s
      where ${sql.join(found, sql` and `)}
      order by s.at desc limit ${count}`);
    return rows.map(({ atMs, ...row }) => ({ ...row, at: atMs }));
  }

  /** Requests of all accounts since the minute of `from` (epoch ms), by minute, oldest first. */
  async traffic(from: number): Promise<readonly TrafficPoint[]> {
    const rows = await this.database.reports.rows<Record<keyof TrafficPoint, string>>(sql`
      select extract(epoch from u.minute) * 1000 as at, u.operation, u.status, sum(u.calls) as calls, sum(u.duration_ms) as "durationMs"
      from applications a cross join lateral (
        select * from usage_counters c where c.application_id = a.id and c.minute >= ${instant(from)}) u
      where a.environment = ${this.#environment} group by 1, 2, 3 order by 1`);
    return rows.map(({ at, operation, status, calls, durationMs }) => ({
      ...{ at: Number(at), operation, status: Number(status) },
      ...{ calls: Number(calls), durationMs: Number(durationMs) },
    }));
  }
}

function instant(epochMs: number) {
  return sql`${new Date(epochMs).toISOString()}::timestamptz`;
}
