import { sql } from 'drizzle-orm';
import { bigserial, boolean, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/**
 * Emails waiting for the SMTP server, with sealed texts. Without an SMTP server they stay for the outbox page and the
 * oldest are deleted.
 */
export const outbox = pgTable(
  'outbox',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    /** sandbox | production: whose gateways deliver it, and whose keys seal it. */
    environment: text('environment').notNull(),
    /** Caused by a sign-up or about an inactive account. Emails about accounts in use come first (decision 0094). */
    isSignUp: boolean('is_sign_up').notNull().default(false),
    at: timestamp('at', { withTimezone: true }).notNull().defaultNow(),
    /** While a gateway delivers it: when that gateway's lease expires. Null = not being delivered. */
    leasedUntil: timestamp('leased_until', { withTimezone: true }),
    recipient: text('recipient').notNull(),
    subject: text('subject').notNull(),
    text: text('text').notNull(),
    html: text('html').notNull(),
  },
  (table) => [
    index('outbox_due').on(
      table.environment,
      table.isSignUp,
      sql`coalesce(${table.leasedUntil}, '-infinity'::timestamptz)`,
      table.id,
    ),
  ],
);
