import { Inject, Injectable } from '@nestjs/common';
import { and, gte, inArray, isNotNull, lt, notInArray, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { usageCounters } from '../database/record-tables.js';
import type { TwoPeriods } from '../database/two-periods.js';
import { TALLY_BOUNDS_MS } from '../metrics/supplier-tallies.js';

/** Calls of one operation with one status within one time step, over the given applications. */
export interface UsagePoint {
  /** Start of the step, epoch seconds. */
  readonly at: number;
  /** operationId. */
  readonly operation: string;
  readonly status: number;
  readonly calls: number;
  /** Sum over the calls. */
  readonly durationMs: number;
}

/** Calls of one application to one operation with one status, in a period or the one before it. */
export interface ApplicationUsage extends Omit<UsagePoint, 'at'> {
  readonly isCurrent: boolean;
  readonly applicationId: string;
}

/** Calls of one operation by bucket of TALLY_BOUNDS_MS; one more than bounds. */
export interface OperationDurations {
  readonly operation: string;
  readonly buckets: readonly number[];
}

/** Operations that the limits in tiers.yaml don't count. */
const UNLIMITED = ['getAccessToken', 'issueToken', 'revokeToken', 'introspectToken'];

/** Reads the usage counters. Calls of the last seconds may not be written yet. */
@Injectable()
export class UsageReader {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database, 'reports'>) {}

  /** Calls from `from` until before `to` (epoch ms) in steps of `stepSeconds`, oldest first, without steps that have no calls. */
  async points(
    applicationIds: readonly string[],
    from: number,
    stepSeconds: number,
    to?: number,
  ): Promise<readonly UsagePoint[]> {
    if (applicationIds.length === 0) return [];
    const at = sql<string>`floor(extract(epoch from ${usageCounters.minute}) / ${sql.raw(String(stepSeconds))}) * ${sql.raw(String(stepSeconds))}`;
    const rows = await this.database.reports.tables
      .select({
        at,
        operation: usageCounters.operation,
        status: usageCounters.status,
        calls: sql<string>`sum(${usageCounters.calls})`,
        durationMs: sql<string>`sum(${usageCounters.durationMs})`,
      })
      .from(usageCounters)
      .where(within(applicationIds, from, to))
      .groupBy(sql`1`, usageCounters.operation, usageCounters.status)
      .orderBy(sql`1`);
    return rows.map((row) => ({
      ...row,
      at: Number(row.at),
      calls: Number(row.calls),
      durationMs: Number(row.durationMs),
    }));
  }

  /** Calls of a period and the one before it by application. */
  async byApplication(
    applicationIds: readonly string[],
    { before, from, to }: TwoPeriods,
  ): Promise<readonly ApplicationUsage[]> {
    if (applicationIds.length === 0) return [];
    const isCurrent = sql<boolean>`${usageCounters.minute} >= ${new Date(from).toISOString()}::timestamptz`;
    return await this.database.reports.tables
      .select({
        isCurrent,
        applicationId: usageCounters.applicationId,
        operation: usageCounters.operation,
        status: usageCounters.status,
        calls: sql<number>`sum(${usageCounters.calls})::float8`,
        durationMs: sql<number>`sum(${usageCounters.durationMs})::float8`,
      })
      .from(usageCounters)
      .where(within(applicationIds, before, to))
      .groupBy(sql`1`, usageCounters.applicationId, usageCounters.operation, usageCounters.status);
  }

  /** Calls from `from` until before `to` (epoch ms) by duration. Calls that an earlier version counted are missing; so are operations without any. */
  async durations(
    applicationIds: readonly string[],
    from: number,
    to?: number,
  ): Promise<readonly OperationDurations[]> {
    if (applicationIds.length === 0) return [];
    const sums = Array.from({ length: TALLY_BOUNDS_MS.length + 1 }, (_, index) =>
      sql.raw(`coalesce(sum(buckets[${index + 1}]), 0)::float8`),
    );
    return await this.database.reports.tables
      .select({ operation: usageCounters.operation, buckets: sql<number[]>`array[${sql.join(sums, sql`, `)}]` })
      .from(usageCounters)
      .where(and(within(applicationIds, from, to), isNotNull(usageCounters.buckets)))
      .groupBy(usageCounters.operation);
  }

  /** Calls since `from` (epoch ms) that count against limits, by application; a missing application has none. */
  async limitedCalls(applicationIds: readonly string[], from: number): Promise<ReadonlyMap<string, number>> {
    if (applicationIds.length === 0) return new Map();
    const rows = await this.database.reports.tables
      .select({ applicationId: usageCounters.applicationId, calls: sql<string>`sum(${usageCounters.calls})` })
      .from(usageCounters)
      .where(
        and(
          inArray(usageCounters.applicationId, [...applicationIds]),
          gte(usageCounters.minute, new Date(from)),
          notInArray(usageCounters.operation, UNLIMITED),
          notInArray(usageCounters.status, [429]),
        ),
      )
      .groupBy(usageCounters.applicationId);
    return new Map(rows.map(({ applicationId, calls }) => [applicationId, Number(calls)]));
  }
}

/** Without `to`, until now. */
function within(applicationIds: readonly string[], from: number, to?: number): SQL | undefined {
  return and(
    inArray(usageCounters.applicationId, [...applicationIds]),
    gte(usageCounters.minute, new Date(from)),
    to === undefined ? undefined : lt(usageCounters.minute, new Date(to)),
  );
}
