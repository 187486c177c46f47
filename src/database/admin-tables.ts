import { index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** Keys with which operators sign calls of the admin API. */
export const adminKeys = pgTable('admin_keys', {
  /** `adk_…`. */
  id: text('id').primaryKey(),
  environment: text('environment').notNull(),
  /** Whose key it is, or what uses it. */
  name: text('name').notNull(),
  /** viewer (reads) | operator (reads, changes and commands). */
  role: text('role').notNull(),
  /** The raw Ed25519 public key, base64url. The private key is stored nowhere. */
  publicKey: text('public_key').notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  /** Null = it isn't revoked. */
  revokedAt: timestamp('revoked_at', { withTimezone: true }),
  /** Accurate to the minute. Null = never. */
  lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
});

/** Nonces of accepted calls of the admin API, until their signatures expire, so that no call is accepted twice. */
export const adminNonces = pgTable(
  'admin_nonces',
  {
    keyId: text('key_id')
      .notNull()
      .references(() => adminKeys.id, { onDelete: 'cascade' }),
    nonce: text('nonce').notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.nonce] }), index('admin_nonces_expires').on(table.expiresAt)],
);
