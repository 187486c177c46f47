import { bigint, index, integer, json, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/**
 * Calls per application, operation, and answer by minute. Exact, independent of which request records are kept. Partitioned by
 * month (decision 0042), so a row is identified by tableoid and ctid, not by its ctid alone.
 */
export const usageCounters = pgTable(
  'usage_counters',
  {
    applicationId: text('application_id').notNull(),
    /** Start of the minute. */
    minute: timestamp('minute', { withTimezone: true }).notNull(),
    /** operationId of the OpenAPI document. */
    operation: text('operation').notNull(),
    status: integer('status').notNull(),
    calls: integer('calls').notNull(),
    /** Sum over all calls. */
    durationMs: bigint('duration_ms', { mode: 'number' }).notNull(),
    /** Calls by bucket of metrics/supplier-tallies.ts TALLY_BOUNDS_MS, one more than bounds. Null = counted by an earlier version. */
    buckets: integer('buckets').array(),
  },
  (table) => [primaryKey({ columns: [table.applicationId, table.minute, table.operation, table.status] })],
);

/**
 * Calls to suppliers for requests of an application, by slots of five minutes and outcome (records/supplier-usage-counters.ts). Exact, and
 * partitioned by month like usage_counters.
 */
export const supplierUsage = pgTable(
  'supplier_usage',
  {
    applicationId: text('application_id').notNull(),
    /** Start of the slot. */
    slot: timestamp('slot', { withTimezone: true }).notNull(),
    supplierId: text('supplier_id').notNull(),
    operation: text('operation').notNull(),
    /** answered, empty, client_left, or a cause or refusal (status/causes.ts). */
    cause: text('cause').notNull(),
    calls: integer('calls').notNull(),
    /** The calls that were answered from memory. They aren't in `buckets`. */
    remembered: integer('remembered').notNull(),
    /** As in usage_counters. */
    buckets: integer('buckets').array().notNull(),
    offers: bigint('offers', { mode: 'number' }).notNull(),
    /** Searches in which the supplier had the cheapest offer. */
    cheapest: integer('cheapest').notNull(),
    /** Prices that were checked again, and those of them that had changed. */
    compared: integer('compared').notNull(),
    changed: integer('changed').notNull(),
    /** Sum of the changes in hundredths of a percent. */
    changeBp: bigint('change_bp', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({
      name: 'supplier_usage_key',
      columns: [table.applicationId, table.slot, table.supplierId, table.operation, table.cause],
    }),
  ],
);

/** The last batch of usage counters written by each gateway, so that a repeated batch adds nothing. */
export const usageBatches = pgTable('usage_batches', {
  /** Identifies the process. */
  gateway: text('gateway').primaryKey(),
  number: integer('number').notNull(),
  writtenAt: timestamp('written_at', { withTimezone: true }).notNull(),
});

/**
 * Request records of the last days, for the log and the explain page. Bounded by age and by count per application. No
 * personal data. Partitioned by day (decision 0042), so a row is identified by tableoid and ctid, not by its ctid alone.
 */
export const requestLog = pgTable(
  'request_log',
  {
    applicationId: text('application_id').notNull(),
    at: timestamp('at', { withTimezone: true }).notNull(),
    /** X-Request-Id. Not unique, because callers may choose it. */
    requestId: text('request_id').notNull(),
    /** operationId of the OpenAPI document. */
    operation: text('operation').notNull(),
    status: integer('status').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** Details of the request (records/request-record.ts). */
    trace: json('trace').notNull(),
  },
  (table) => [
    index('request_log_application').on(table.applicationId, table.at),
    index('request_log_request').on(table.applicationId, table.requestId, table.at),
  ],
);

/**
 * How long each environment keeps its records and counters. A partition has rows of both, so it is dropped when neither
 * needs it. Until then, each deletes its own rows from it.
 */
export const recordRetention = pgTable('record_retention', {
  /** sandbox | production. */
  environment: text('environment').primaryKey(),
  requestDays: integer('request_days').notNull(),
  usageDays: integer('usage_days').notNull(),
  /** The settings hold until no row that was written before is that old. */
  announcedAt: timestamp('announced_at', { withTimezone: true }).notNull(),
});
