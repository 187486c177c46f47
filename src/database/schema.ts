import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  foreignKey,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
} from 'drizzle-orm/pg-core';

/** API products of the collection /cars (spec §1). Rows come from config/products.yaml. */
export const products = pgTable('products', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  /** Path before the version segment: /cars/locations. */
  path: text('path').notNull(),
  /** designed | beta | live | deprecated | retired (spec §3.1). */
  state: text('state').notNull(),
});

/** Accounts of people (spec §1.1), one for each environment (decision 0023). Ids are `acc_…`. User limits apply to the account. */
export const accounts = pgTable(
  'accounts',
  {
    id: text('id').primaryKey(),
    /** sandbox | production. Sessions, links, the role and applications of the account are of the same environment. */
    environment: text('environment').notNull(),
    name: text('name').notNull(),
    /** Key in config/tiers.yaml: the limits shared by all applications of the account. */
    tier: text('tier').notNull(),
    /** In lower case. Null = created by an operator, without login. */
    email: text('email'),
    /** argon2id in PHC format. Null = login disabled. */
    passwordHash: text('password_hash'),
    /** When the verification link was confirmed (spec §1.1). Null = not active yet. */
    verifiedAt: timestamp('verified_at', { withTimezone: true }),
    /** developer | ops. */
    role: text('role').notNull().default('developer'),
    /** Raised to revoke all sessions of the account: each session has the generation it began with. */
    sessionsGeneration: integer('sessions_generation').notNull().default(0),
    /** When the account was deleted, until everything that is kept about it is erased. */
    erasingSince: timestamp('erasing_since', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    unique('accounts_environment_email').on(table.environment, table.email),
    /** For the foreign key of applications. */
    unique('accounts_id_environment').on(table.id, table.environment),
    index('accounts_erasing').on(table.environment).where(sql`${table.erasingSince} is not null`),
    index('accounts_unverified')
      .on(table.createdAt)
      .where(sql`${table.verifiedAt} is null and ${table.email} is not null`),
  ],
);

/** Second factors of accounts: codes of an authenticator app, and recovery codes. */
export const secondFactors = pgTable('second_factors', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id, { onDelete: 'cascade' }),
  /** The secret of the app, sealed with the key of the account's environment. */
  sealed: text('sealed').notNull(),
  /** The time step (Unix time ÷ 30 s) of the last code that was used. Codes up to it are rejected. */
  lastStep: bigint('last_step', { mode: 'number' }).notNull(),
  /** HMAC-SHA-256 of the recovery codes that are left, with the key `recovery_code`, base64url. */
  recoveryCodes: text('recovery_codes').array().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

/** Single-use links in emails: to verify an address or to set a new password. */
export const accountLinks = pgTable(
  'account_links',
  {
    /** HMAC-SHA-256 of the link secret with the key `link_digest` of the account's environment, base64url. */
    digest: text('digest').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** verify | reset. */
    purpose: text('purpose').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    usedAt: timestamp('used_at', { withTimezone: true }),
  },
  (table) => [index('account_links_account').on(table.accountId)],
);

/** Client applications (spec §1.3). Ids are `app_…`. Developers send the client id. */
export const applications = pgTable(
  'applications',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    name: text('name').notNull(),
    description: text('description').notNull().default(''),
    /** OAuth redirect URL submitted by the developer (spec §1.3). Null = none yet. */
    redirectUrl: text('redirect_url'),
    clientId: text('client_id').notNull().unique(),
    /** sandbox | production. A credential pair works in one environment only (spec §5.7). */
    environment: text('environment').notNull(),
    /** Key in config/tiers.yaml. */
    tier: text('tier').notNull(),
    /** active | suspended | deleted. */
    state: text('state').notNull().default('active'),
    /** Suspended by someone other than its account: only operators may resume it. */
    isHeld: boolean('is_held').notNull().default(false),
    /** For a production application: the sandbox application that requested it. */
    launchedFrom: text('launched_from'),
    /** Sandbox scenario applied when a call does not set one. */
    defaultScenario: text('default_scenario'),
    /** Web origins whose pages may read answers to the application's tokens. */
    allowedOrigins: text('allowed_origins').array().notNull().default([]),
    /** When its developer began the certification that counts. Null = requests of any time count. */
    judgedFrom: timestamp('judged_from', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    /** An application can't belong to an account of the other environment. */
    foreignKey({
      name: 'applications_account_environment',
      columns: [table.accountId, table.environment],
      foreignColumns: [accounts.id, accounts.environment],
    }),
    /** For the foreign key of reservations. */
    unique('applications_id_environment').on(table.id, table.environment),
    /** Deleted ones included: for the export, the deletion and the most that are created in a day. */
    index('applications_account').on(table.accountId, table.createdAt, table.id),
    index('applications_kept').on(table.accountId, table.createdAt, table.id).where(sql`${table.state} <> 'deleted'`),
    /** For preflights; with fast updates, each would read a list of pending entries. */
    index('applications_origins')
      .using('gin', table.allowedOrigins)
      .with({ fastupdate: false })
      .where(sql`${table.allowedOrigins} <> '{}'`),
    index('applications_launched_from').on(table.launchedFrom).where(sql`${table.launchedFrom} is not null`),
  ],
);

/** Production access requests (spec §1.4): a developer requests, an operator decides. */
export const accessRequests = pgTable(
  'launch_requests',
  {
    /** `lau_…`. */
    id: text('id').primaryKey(),
    /** The sandbox application. */
    applicationId: text('application_id')
      .notNull()
      .references(() => applications.id, { onDelete: 'cascade' }),
    /** requested | approved | refused. */
    state: text('state').notNull().default('requested'),
    /** The developer's description of what goes live. */
    message: text('message').notNull(),
    requestedAt: timestamp('requested_at', { withTimezone: true }).notNull().defaultNow(),
    decidedAt: timestamp('decided_at', { withTimezone: true }),
    /** Reason given by the operator. */
    decision: text('decision'),
    /** Production application created by the approval. */
    productionApplicationId: text('production_application_id'),
  },
  (table) => [index('launch_requests_application').on(table.applicationId)],
);

/** Client secrets of an application. Several can be valid concurrently (rotation with an overlap). */
export const clientSecrets = pgTable(
  'client_secrets',
  {
    /** `sec_…`. */
    id: text('id').primaryKey(),
    applicationId: text('application_id')
      .notNull()
      .references(() => applications.id, { onDelete: 'cascade' }),
    /** HMAC-SHA-256 of the secret with the key `client_secret`, base64url. Credentials are checked against it. */
    hmac: text('hmac').notNull(),
    /** The secret, sealed with a key of this row that a versioned key wraps. Null = it cannot be shown again. */
    sealed: text('sealed'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** Null = no expiry. */
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
    /** Rounded to the minute. */
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
  },
  (table) => [index('client_secrets_application').on(table.applicationId)],
);

/** Versions of products and their lifecycle state (spec §3.1, §9). */
export const productVersions = pgTable(
  'product_versions',
  {
    productId: text('product_id')
      .notNull()
      .references(() => products.id),
    major: integer('major').notNull(),
    minor: integer('minor').notNull(),
    patch: integer('patch').notNull(),
    /** designed | beta | live | deprecated | retired. */
    state: text('state').notNull(),
    deprecatedAt: timestamp('deprecated_at', { withTimezone: true }),
    /** When a deprecated version will be retired. */
    sunsetAt: timestamp('sunset_at', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** Added by a sandbox whose database also serves production, which doesn't have it until it starts with a file that lists it. */
    isSandboxOnly: boolean('is_sandbox_only').notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.productId, table.major, table.minor, table.patch] })],
);

/** Applications selected for a version in Beta (spec §3.1: selected customers only). */
export const betaApplications = pgTable(
  'beta_applications',
  {
    applicationId: text('application_id')
      .notNull()
      .references(() => applications.id, { onDelete: 'cascade' }),
    productId: text('product_id')
      .notNull()
      .references(() => products.id),
    major: integer('major').notNull(),
    minor: integer('minor').notNull(),
  },
  (table) => [primaryKey({ columns: [table.applicationId, table.productId, table.major, table.minor] })],
);

/**
 * Audit log of changes by operators, developers and the gateway: who, when, what, before, and after. No secrets. Rows are
 * only added; the database refuses everything else but an erasure, which sets before and after, or the address, to null
 * (decision 0050).
 */
export const auditEvents = pgTable(
  'audit_events',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: timestamp('at', { withTimezone: true }).notNull().defaultNow(),
    /** `ops`, `system`, or an account id. */
    actor: text('actor').notNull(),
    /** Lower snake case: secret_rotated, version_promoted, … */
    action: text('action').notNull(),
    /** Id of the changed object. */
    subject: text('subject').notNull(),
    before: json('before'),
    after: json('after'),
    /** sandbox | production. Null = recorded by an earlier version, which didn't note it (audit-environment.ts). */
    environment: text('environment'),
    /** page | command | admin_api | gateway: how the change was made. Null = recorded by an earlier version. */
    channel: text('channel'),
    /** For a command, the user of the operating system; for a call, the id of its key. */
    agent: text('agent'),
    /** What the subject is, such as application (audit.ts). */
    subjectKind: text('subject_kind'),
    /** IP address of the client of a page or call. */
    address: text('address'),
    /** Random, part of the digest of the address, so that an erased address can't be guessed from it. */
    addressSalt: text('address_salt').default(sql`gen_random_uuid()::text`),
    requestId: text('request_id'),
    /** Why, in the words of the person who made the change. */
    reason: text('reason'),
    /** Like addressSalt, for before, after and reason. Null = they are erased. */
    salt: text('salt').default(sql`gen_random_uuid()::text`),
  },
  (table) => [
    index('audit_events_subject').on(table.subject, table.id),
    index('audit_events_actor').on(table.actor, table.id),
  ],
);

/** Products an application may call (spec §1.2). Without a row, the answer is 403. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    applicationId: text('application_id')
      .notNull()
      .references(() => applications.id, { onDelete: 'cascade' }),
    productId: text('product_id')
      .notNull()
      .references(() => products.id),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.applicationId, table.productId] })],
);
