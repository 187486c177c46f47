import { pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** Supplier states set by operators at run time. Without a row, the configured state applies. */
export const supplierStates = pgTable(
  'supplier_states',
  {
    environment: text('environment').notNull(),
    supplierId: text('supplier_id').notNull(),
    /** off | shadow | live | drain | maintenance. */
    state: text('state').notNull(),
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
