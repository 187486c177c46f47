import { Inject, Injectable } from '@nestjs/common';
import { and, gte, inArray, notInArray, sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { usageCounters } from '../database/record-tables.js';

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
