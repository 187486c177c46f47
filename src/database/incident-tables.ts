import { sql } from 'drizzle-orm';
import { bigint, index, json, pgTable, primaryKey, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';

/**
 * Calls of the last minutes by account, to which all gateways add. After three minutes they are folded into `service_counts`
 * (src/incidents/count-storage.ts), so no more is kept about an account.
 */
export const accountCounts = pgTable(
  'account_counts',
  {
    environment: text('environment').notNull(),
    /** As in service_counts. */
    part: text('part').notNull(),
    operation: text('operation').notNull(),
    /** Start of the minute. */
    at: timestamp('at', { withTimezone: true }).notNull(),
    /** `acc_…`; '' = calls of no account; '+' = of further accounts, or background work for some. */
    account: text('account').notNull(),
    calls: bigint('calls', { mode: 'number' }).notNull(),
    failed: bigint('failed', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment, table.at, table.part, table.operation, table.account] })],
);

/**
 * Calls per supplier operation and kind of API call, by minute for two hours and by UTC day for 90 days, of all gateways together. A few
 * rows per supplier and day, so not partitioned.
 */
export const serviceCounts = pgTable(
  'service_counts',
  {
    environment: text('environment').notNull(),
    /** `api`, or `supplier:` and its id. */
    part: text('part').notNull(),
    /** `search`, `booking` or `token` for `api`; otherwise the operation of the supplier port. */
    operation: text('operation').notNull(),
    /** minute | day. */
    span: text('span').notNull(),
    /** Start of the minute or day. */
    at: timestamp('at', { withTimezone: true }).notNull(),
    calls: bigint('calls', { mode: 'number' }).notNull(),
    failed: bigint('failed', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment, table.span, table.at, table.part, table.operation] })],
);

/** Incidents of the status page (docs/status-page.md). */
export const incidents = pgTable(
  'incidents',
  {
    /** `inc_…`. */
    id: text('id').primaryKey(),
    environment: text('environment').notNull(),
    /** failing | maintenance: opened and closed by the gateways. notice: by an operator. */
    kind: text('kind').notNull(),
    /** As in service_counts, or `service`, or `product:` and its id. */
    part: text('part').notNull(),
    /** The operations that failed; empty for all others. */
    operations: text('operations').array().notNull(),
    beganAt: timestamp('began_at', { withTimezone: true }).notNull(),
    /** Null = it isn't over. */
    endedAt: timestamp('ended_at', { withTimezone: true }),
    /** Calls in the minutes that opened it, and how many of them failed; 0 if it isn't `failing`. */
    calls: bigint('calls', { mode: 'number' }).notNull(),
    failed: bigint('failed', { mode: 'number' }).notNull(),
    /** Texts of operators as [{at, text}], oldest first. */
    notes: json('notes').notNull(),
  },
  (table) => [
    /** Several gateways find the same incident; one opens it. */
    uniqueIndex('incidents_open')
      .on(table.environment, table.kind, table.part)
      .where(sql`${table.endedAt} is null and ${table.kind} <> 'notice'`),
    index('incidents_began').on(table.environment, table.beganAt),
  ],
);
