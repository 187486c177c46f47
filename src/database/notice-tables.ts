import { pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** Notices that were sent, so that each is sent once across all gateways. */
export const noticesSent = pgTable('notices_sent', {
  /** Subject and recipient: `deprecated:<product>:<version>:<account>`. */
  key: text('key').primaryKey(),
  at: timestamp('at', { withTimezone: true }).notNull().defaultNow(),
});
