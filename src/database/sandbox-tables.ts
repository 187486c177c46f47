import { sql } from 'drizzle-orm';
import { bigint, check, foreignKey, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { applications } from './schema.js';

/** The clocks of sandbox applications that run ahead (decision 0087). An application of production can't have one. */
export const testClocks = pgTable(
  'test_clocks',
  {
    applicationId: text('application_id').primaryKey(),
    environment: text('environment').notNull().default('sandbox'),
    /** By how many milliseconds. */
    aheadMs: bigint('ahead_ms', { mode: 'number' }).notNull(),
    /** completed | no_show: what becomes of confirmed reservations. */
    outcome: text('outcome').notNull(),
    movedAt: timestamp('moved_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    check('test_clocks_sandbox', sql`${table.environment} = 'sandbox'`),
    foreignKey({
      name: 'test_clocks_application',
      columns: [table.applicationId, table.environment],
      foreignColumns: [applications.id, applications.environment],
    }),
  ],
);
