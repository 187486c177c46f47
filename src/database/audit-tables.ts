import { bigint, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/**
 * The hash chain of audit_events: the database adds a row per event when its transaction commits (decision 0050). Digests
 * are SHA-256 in hexadecimal, of a JSON array of texts without spaces.
 */
export const auditSeals = pgTable('audit_seals', {
  /** From 1, without gaps, in the order of commits. */
  sequence: bigint('sequence', { mode: 'number' }).primaryKey(),
  eventId: bigint('event_id', { mode: 'number' }).notNull().unique(),
  /** The digest of salt, before, after and reason. It stays when they are erased. */
  contents: text('contents').notNull(),
  /** The digest of the address and its salt. */
  origin: text('origin').notNull(),
  /** The digest of the previous hash, both digests and everything else of the event. */
  hash: text('hash').notNull(),
});

/** Seals signed by a gateway: with write access to the database, but without the master secret, what is before one can't be rewritten. */
export const auditCheckpoints = pgTable(
  'audit_checkpoints',
  {
    /** sandbox | production: whose key signed it. */
    environment: text('environment').notNull(),
    sequence: bigint('sequence', { mode: 'number' }).notNull(),
    /** The hash of the seal with this sequence. */
    hash: text('hash').notNull(),
    /** HMAC-SHA-256 with the key `audit_checkpoint`, base64url. */
    signature: text('signature').notNull(),
    at: timestamp('at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.environment, table.sequence] })],
);
