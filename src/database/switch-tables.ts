import { integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** Supplier states set by operators at run time. Without a row, the configured state applies. */
export const supplierStates = pgTable(
  'supplier_states',
  {
    environment: text('environment').notNull(),
    supplierId: text('supplier_id').notNull(),
    /** off | shadow | canary | live | drain | maintenance. */
    state: text('state').notNull(),
    /** For canary: the share of the searches, 1 to 99. */
    percent: integer('percent'),
    /** Why the gateway itself returned the supplier to shadow. Null = an operator set the state. */
    returnedFor: text('returned_for'),
    /** For maintenance: when it ends automatically and the supplier is live again. Null = until an operator ends it. */
    until: timestamp('until', { withTimezone: true }),
    changedAt: timestamp('changed_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.environment, table.supplierId] })],
);

/** Maintenance that operators switched on at run time. */
export const maintenance = pgTable(
  'maintenance',
  {
    environment: text('environment').notNull(),
    /** `service`, or the id of a product. */
    subject: text('subject').notNull(),
    /** The announced end, at which it ends automatically. Null = until an operator ends it. */
    until: timestamp('until', { withTimezone: true }),
    changedAt: timestamp('changed_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.environment, table.subject] })],
);

/**
 * Planned maintenance, and what operators switched off at run time: rows apply from begins_at until ends_at. Kept for 90
 * days after their end.
 */
export const switches = pgTable('switches', {
  /** `sw_…`. */
  id: text('id').primaryKey(),
  environment: text('environment').notNull(),
  /** service | product | supplier | operation | brand. */
  kind: text('kind').notNull(),
  /** Id of the product, supplier or operation, or the name of the brand; `service`. */
  subject: text('subject').notNull(),
  beginsAt: timestamp('begins_at', { withTimezone: true }).notNull(),
  /** Null = until an operator removes it. */
  endsAt: timestamp('ends_at', { withTimezone: true }),
  /** Callers see it on the status page if it was announced. */
  reason: text('reason').notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});
