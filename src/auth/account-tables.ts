import { type SQL, sql } from 'drizzle-orm';
import type { Environment } from './credentials.js';

/** An account. */
export interface AccountScope {
  readonly accountId: string;
  /** In lowercase; null for an account without login. */
  readonly email: string | null;
  readonly environment: Environment;
}

/** Rows that are kept about an account. */
export interface AccountRows {
  /** The name in the export. */
  readonly name: string;
  readonly table: string;
  /**
   * Columns and their types that identify a row. Rows are read and deleted in this order, a part at a time, so an
   * index must have it: after `application_id` if `which` is `application`.
   */
  readonly key: Readonly<Record<string, 'text' | 'int' | 'bigint' | 'timestamptz' | 'tid'>>;
  /**
   * Condition for the rows of an account; the table is `t`. `application`: those with the application_id of one of its
   * applications; `reservation`: those with the reservation_id of one of their reservations; `subject`: those with the id of
   * the account, one of its applications or one of their secrets as subject. They are read one id after the other, each by
   * the index.
   */
  readonly which: 'application' | 'reservation' | 'subject' | ((account: AccountScope) => SQL);
  /** Columns that aren't exported: secrets and their digests, data of renters, what only the gateway needs. */
  readonly hidden?: readonly string[];
  /** What is exported instead of the single rows: groups of each UTC day of the column `day`. */
  readonly summary?: { readonly day: string; readonly columns: SQL; readonly groups: SQL };
  /** When the account is deleted: the rows are deleted, these columns are set, or the rows stay for this reason. */
  readonly deletion: 'rows' | SQL | { readonly kept: string };
  /** These few rows are deleted in the transaction that closes the account. All others are erased afterwards, in parts. */
  readonly isClosing?: true;
}

const BOOKED = { kept: "the bookings exist at the suppliers; the renters' data is erased after its retention time" };

/**
 * Everything that is kept about an account, in the order of the export; deletion goes the other way. A test fails if a
 * table of the schema is neither here nor in OTHER_TABLES.
 */
export const ACCOUNT_ROWS: readonly AccountRows[] = [
  {
    name: 'account',
    table: 'accounts',
    key: { id: 'text' },
    which: ({ accountId }) => sql`t.id = ${accountId}`,
    hidden: ['password_hash', 'sessions_generation', 'erasing_since'],
    // The row itself stays, because applications and audit_events name its id.
    deletion: sql`name = 'deleted', email = null, password_hash = null, verified_at = null, role = 'developer',
      sessions_generation = sessions_generation + 1, erasing_since = now()`,
    isClosing: true,
  },
  {
    name: 'links',
    table: 'account_links',
    key: { digest: 'text' },
    which: ({ accountId }) => sql`t.account_id = ${accountId}`,
    hidden: ['digest'],
    deletion: 'rows',
    isClosing: true,
  },
  {
    name: 'second_factor',
    table: 'second_factors',
    key: { account_id: 'text' },
    which: ({ accountId }) => sql`t.account_id = ${accountId}`,
    hidden: ['sealed', 'last_step', 'recovery_codes'],
    deletion: 'rows',
    isClosing: true,
  },
  {
    name: 'queued_emails',
    table: 'outbox',
    key: { id: 'bigint' },
    // Decisions on access requests are queued by production. If another account has the address there, they stay with it.
    which: ({ email, environment }) => sql`t.recipient = ${email} and (t.environment = ${environment}
      or not exists (select from accounts a where a.environment = t.environment and a.email = t.recipient))`,
    hidden: ['text', 'html', 'leased_until', 'is_sign_up'],
    deletion: 'rows',
    isClosing: true,
  },
  {
    name: 'notices',
    table: 'notices_sent',
    key: { key: 'text' },
    which: ({ accountId }) => sql`t.key like ${`%:${accountId}`}`,
    deletion: 'rows',
  },
  {
    name: 'applications',
    table: 'applications',
    key: { created_at: 'timestamptz', id: 'text' },
    which: ({ accountId }) => sql`t.account_id = ${accountId}`,
    deletion: sql`name = 'deleted', description = '', redirect_url = null, default_scenario = null, allowed_origins = '{}'`,
  },
  {
    name: 'client_secrets',
    table: 'client_secrets',
    key: { id: 'text' },
    which: 'application',
    hidden: ['hmac', 'sealed'],
    deletion: 'rows',
  },
  {
    name: 'subscriptions',
    table: 'subscriptions',
    key: { application_id: 'text', product_id: 'text' },
    which: 'application',
    deletion: 'rows',
  },
  {
    name: 'beta_access',
    table: 'beta_applications',
    key: { application_id: 'text', product_id: 'text', major: 'int', minor: 'int' },
    which: 'application',
    deletion: 'rows',
  },
  {
    name: 'test_clocks',
    table: 'test_clocks',
    key: { application_id: 'text' },
    which: 'application',
    deletion: 'rows',
  },
  {
    name: 'production_access_requests',
    table: 'launch_requests',
    key: { id: 'text' },
    which: 'application',
    deletion: 'rows',
  },
  {
    name: 'changes',
    table: 'audit_events',
    key: { id: 'bigint' },
    which: 'subject',
    hidden: ['agent', 'address', 'address_salt', 'salt'],
    // Who did what, and when, stays.
    deletion: sql`before = null, after = null`,
  },
  {
    name: 'actions',
    table: 'audit_events',
    key: { id: 'bigint' },
    which: ({ accountId }) => sql`t.actor = ${accountId}`,
    hidden: ['before', 'after', 'reason', 'agent', 'address_salt', 'salt'],
    // They are part of the history of what was changed, so the rows stay.
    deletion: sql`address = null, address_salt = null`,
  },
  {
    name: 'reservations',
    table: 'reservations',
    key: { id: 'text' },
    which: 'application',
    hidden: [
      'personal',
      'change',
      'rental',
      'view',
      'payment',
      'strays',
      'quote_digest',
      'sent_until',
      'next_check_at',
      'checks',
      'number_turn',
    ],
    deletion: BOOKED,
  },
  {
    name: 'reservation_history',
    table: 'reservation_events',
    key: { reservation_id: 'text', version: 'int' },
    which: 'reservation',
    deletion: BOOKED,
  },
  {
    name: 'idempotency_keys',
    table: 'idempotency_keys',
    key: { key: 'text' },
    which: 'application',
    hidden: ['key', 'body_hash', 'answer'],
    deletion: { kept: 'they are deleted after reservations.idempotencyHours' },
  },
  {
    name: 'webhook_endpoints',
    table: 'webhook_endpoints',
    key: { url: 'text' },
    which: 'application',
    hidden: ['secret', 'previous_secret', 'leased_until', 'served_at', 'wakes_at', 'is_slow'],
    deletion: 'rows',
  },
  {
    name: 'webhook_deliveries',
    table: 'webhook_deliveries',
    key: { id: 'bigint' },
    which: 'application',
    deletion: 'rows',
  },
  {
    name: 'usage_by_day',
    table: 'usage_counters',
    key: { minute: 'timestamptz', operation: 'text', status: 'int' },
    which: 'application',
    summary: {
      day: 'minute',
      columns: sql`(minute at time zone 'UTC')::date as day, sum(calls)::int as calls, status, operation,
        sum(duration_ms)::float8 as duration_ms, application_id`,
      groups: sql`1, 3, 4, 6`,
    },
    deletion: 'rows',
  },
  {
    name: 'supplier_usage_by_day',
    table: 'supplier_usage',
    key: { slot: 'timestamptz', supplier_id: 'text', operation: 'text', cause: 'text' },
    which: 'application',
    summary: {
      day: 'slot',
      columns: sql`(slot at time zone 'UTC')::date as day, supplier_id, operation, cause, sum(calls)::int as calls,
        sum(offers)::float8 as offers, sum(cheapest)::int as cheapest, sum(compared)::int as compared, sum(changed)::int as changed, application_id`,
      groups: sql`1, 2, 3, 4, 10`,
    },
    deletion: 'rows',
  },
  {
    name: 'requests',
    table: 'request_log',
    // Few have the same instant.
    key: { at: 'timestamptz', ctid: 'tid' },
    which: 'application',
    deletion: 'rows',
  },
];

/**
 * Tables without rows about accounts. Of an account, `account_counts` has no more than the number of calls of the last minutes, and
 * `webhook_arrivals` the ids of endpoints whose new events no gateway has noticed yet, including those of deleted ones. The last four
 * are about suppliers; they have no more than the number of failed calls by application of two days, and ids of requests of one day.
 */
export const OTHER_TABLES: readonly string[] = [
  'audit_seals',
  'audit_checkpoints',
  'admin_keys',
  'admin_nonces',
  'products',
  'product_versions',
  'supplier_states',
  'maintenance',
  'switches',
  'service_counts',
  'account_counts',
  'incidents',
  'reservation_transitions',
  'usage_batches',
  'record_retention',
  'webhook_arrivals',
  'supplier_calls',
  'supplier_measures',
  'supplier_failures',
  'failed_exchanges',
];
