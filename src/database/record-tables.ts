import { bigint, index, integer, json, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** Calls per application, operation, and answer by minute. Exact, independent of which request records are kept. */
export const usageMinutes = pgTable(
  'usage_minutes',
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
  },
  (table) => [
    primaryKey({ columns: [table.applicationId, table.minute, table.operation, table.status] }),
    index('usage_minutes_minute').on(table.minute),
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
 * personal data.
 */
export const requestRecords = pgTable(
  'request_records',
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
    index('request_records_application').on(table.applicationId, table.at),
    index('request_records_at').on(table.at),
    index('request_records_request').on(table.applicationId, table.requestId, table.at),
  ],
);
