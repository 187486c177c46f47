import { Inject, Injectable } from '@nestjs/common';
import { and, gte, inArray, isNotNull, notInArray, sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { usageCounters } from '../database/record-tables.js';
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

  /** Calls since `from` (epoch ms) in steps of `stepSeconds`, oldest first, without steps that have no calls. */
  async points(applicationIds: readonly string[], from: number, stepSeconds: number): Promise<readonly UsagePoint[]> {
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
      .where(and(inArray(usageCounters.applicationId, [...applicationIds]), gte(usageCounters.minute, new Date(from))))
      .groupBy(sql`1`, usageCounters.operation, usageCounters.status)
      .orderBy(sql`1`);
    return rows.map((row) => ({
      ...row,
      at: Number(row.at),
      calls: Number(row.calls),
      durationMs: Number(row.durationMs),
    }));
  }

  /** Calls since `from` (epoch ms) by duration. Calls that an earlier version counted are missing; so are operations without any. */
  async durations(applicationIds: readonly string[], from: number): Promise<readonly OperationDurations[]> {
    if (applicationIds.length === 0) return [];
    const sums = Array.from({ length: TALLY_BOUNDS_MS.length + 1 }, (_, index) =>
      sql.raw(`coalesce(sum(buckets[${index + 1}]), 0)::float8`),
    );
    return await this.database.reports.tables
      .select({ operation: usageCounters.operation, buckets: sql<number[]>`array[${sql.join(sums, sql`, `)}]` })
      .from(usageCounters)
      .where(
        and(
          inArray(usageCounters.applicationId, [...applicationIds]),
          gte(usageCounters.minute, new Date(from)),
          isNotNull(usageCounters.buckets),
        ),
      )
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
