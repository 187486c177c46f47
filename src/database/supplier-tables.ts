import {
  bigserial,
  doublePrecision,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

/** Calls to suppliers by minute, outcome and bucket of their duration, over all gateways. Kept for eight days. */
export const supplierCalls = pgTable(
  'supplier_calls',
  {
    environment: text('environment').notNull(),
    supplierId: text('supplier_id').notNull(),
    /** Start of the minute. */
    minute: timestamp('minute', { withTimezone: true }).notNull(),
    operation: text('operation').notNull(),
    /** answered, empty, or a kind of failure (suppliers/failure-kind.ts). */
    cause: text('cause').notNull(),
    /** Index of metrics/supplier-tallies.ts TALLY_BOUNDS_MS; the last one has no bound. */
    bucket: integer('bucket').notNull(),
    calls: integer('calls').notNull(),
  },
  (table) => [
    primaryKey({
      name: 'supplier_calls_key',
      columns: [table.environment, table.minute, table.supplierId, table.operation, table.cause, table.bucket],
    }),
    index('supplier_calls_supplier').on(table.environment, table.supplierId, table.minute),
  ],
);

/** Calls by application and minute, over all gateways. Kept for two days. */
export const supplierFailures = pgTable(
  'supplier_failures',
  {
    environment: text('environment').notNull(),
    supplierId: text('supplier_id').notNull(),
    /** Start of the minute; of five minutes in rows of earlier versions. */
    slot: timestamp('slot', { withTimezone: true }).notNull(),
    operation: text('operation').notNull(),
    cause: text('cause').notNull(),
    /** Empty = calls for no application, or for one of those that aren't counted each by itself. */
    applicationId: text('application_id').notNull(),
    calls: integer('calls').notNull(),
  },
  (table) => [
    primaryKey({
      name: 'supplier_failures_key',
      columns: [table.environment, table.supplierId, table.slot, table.operation, table.cause, table.applicationId],
    }),
  ],
);

/** Means of what isn't a call, by minute (metrics/supplier-tallies.ts MeasureTally). Kept for eight days. */
export const supplierMeasures = pgTable(
  'supplier_measures',
  {
    environment: text('environment').notNull(),
    /** Empty = the gateways themselves. */
    supplierId: text('supplier_id').notNull(),
    measure: text('measure').notNull(),
    minute: timestamp('minute', { withTimezone: true }).notNull(),
    count: integer('count').notNull(),
    sum: doublePrecision('sum').notNull(),
  },
  (table) => [
    primaryKey({
      name: 'supplier_measures_key',
      columns: [table.environment, table.minute, table.supplierId, table.measure],
    }),
  ],
);

/**
 * What was sent to and received from suppliers in failed operations, masked. Bounded per supplier and operation by count
 * and bytes, and by age. Without personal data, cards and secrets (suppliers/failed-exchange.ts).
 */
export const failedExchanges = pgTable(
  'failed_exchanges',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    environment: text('environment').notNull(),
    at: timestamp('at', { withTimezone: true }).notNull(),
    supplierId: text('supplier_id').notNull(),
    operation: text('operation').notNull(),
    cause: text('cause').notNull(),
    requestId: text('request_id').notNull(),
    /** The masked message of the failure. */
    why: text('why').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** [{method, path, sent, status, contentType, received}], each text masked and cut. */
    exchanges: json('exchanges').notNull(),
    /** Size of `exchanges`. */
    bytes: integer('bytes').notNull(),
  },
  (table) => [
    index('failed_exchanges_supplier').on(table.environment, table.supplierId, table.operation, table.id),
    index('failed_exchanges_request').on(table.environment, table.requestId),
  ],
);
