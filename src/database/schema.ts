import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

/** API products of the collection /cars (spec §1); rows come from config/products.yaml. */
export const products = pgTable('products', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  /** Path before the version segment: /cars/locations. */
  path: text('path').notNull(),
  /** designed | beta | live | deprecated | retired (spec §3.1). */
  state: text('state').notNull(),
});

/** Accounts of developers and ops (spec §1.1). Ids are `acc_…`; limits of a user are those of the account. */
export const accounts = pgTable('accounts', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  /** Key of config/tiers.yaml: what all applications of the account may do together. */
  tier: text('tier').notNull(),
  /** As it was typed, in lower case; null = made by ops: nobody logs in. */
  email: text('email').unique(),
  /** argon2id in PHC form; null = nobody logs in. */
  passwordHash: text('password_hash'),
  /** When the link of the verification mail was followed (spec §1.1); null = not active yet. */
  verifiedAt: timestamp('verified_at', { withTimezone: true }),
  /** developer | ops. */
  role: text('role').notNull().default('developer'),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

/** Links in mails that work once: to verify an address, to set a new password. */
export const accountLinks = pgTable(
  'account_links',
  {
    /** SHA-256 of the link's secret, base64url. */
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

/** Mails that wait for the SMTP server, their texts sealed; where none is set they stay for the outbox page, and the oldest go. */
export const outbox = pgTable('outbox', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  at: timestamp('at', { withTimezone: true }).notNull().defaultNow(),
  /** While a gateway delivers it: when that gateway must be taken for dead. Null = nobody does. */
  leasedUntil: timestamp('leased_until', { withTimezone: true }),
  recipient: text('recipient').notNull(),
  subject: text('subject').notNull(),
  text: text('text').notNull(),
  html: text('html').notNull(),
});

/** Notices that were mailed, so that each is mailed once whatever gateway does it. */
export const noticesSent = pgTable('notices_sent', {
  /** What and to whom: `deprecated:<product>:<version>:<account>`. */
  key: text('key').primaryKey(),
  at: timestamp('at', { withTimezone: true }).notNull().defaultNow(),
});

/** Client applications (spec §1.3). Ids are `app_…`; the client id is what developers send. */
export const applications = pgTable('applications', {
  id: text('id').primaryKey(),
  accountId: text('account_id')
    .notNull()
    .references(() => accounts.id),
  name: text('name').notNull(),
  description: text('description').notNull().default(''),
  /** Of OAuth, as submitted by the developer (spec §1.3); null = none yet. */
  redirectUrl: text('redirect_url'),
  clientId: text('client_id').notNull().unique(),
  /** sandbox | production: a pair works in one environment only (spec §5.7). */
  environment: text('environment').notNull(),
  /** Key of config/tiers.yaml. */
  tier: text('tier').notNull(),
  /** active | suspended | deleted. */
  state: text('state').notNull().default('active'),
  /** Of a production application: the application of the sandbox that asked for it. */
  launchedFrom: text('launched_from'),
  /** Sandbox scenario applied when a call names none. */
  defaultScenario: text('default_scenario'),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

/** Requests for production credentials (spec §1.4): a developer asks, ops decide. */
export const accessRequests = pgTable(
  'launch_requests',
  {
    /** `lau_…`. */
    id: text('id').primaryKey(),
    /** The application of the sandbox. */
    applicationId: text('application_id')
      .notNull()
      .references(() => applications.id, { onDelete: 'cascade' }),
    /** requested | approved | refused. */
    state: text('state').notNull().default('requested'),
    /** What the developer says of what goes live. */
    message: text('message').notNull(),
    requestedAt: timestamp('requested_at', { withTimezone: true }).notNull().defaultNow(),
    decidedAt: timestamp('decided_at', { withTimezone: true }),
    /** Reason given by ops. */
    decision: text('decision'),
    /** What approval made. */
    productionApplicationId: text('production_application_id'),
  },
  (table) => [index('launch_requests_application').on(table.applicationId)],
);

/** How often an application called an operation with which answer, by the minute: exact, whatever is kept of single requests. */
export const usageMinutes = pgTable(
  'usage_minutes',
  {
    applicationId: text('application_id').notNull(),
    /** Start of the minute. */
    minute: timestamp('minute', { withTimezone: true }).notNull(),
    /** operationId of the OpenAPI document. */
    operation: text('operation').notNull(),
    status: integer('status').notNull(),
    calls: integer('calls').notNull(),
    /** Sum over the calls. */
    durationMs: bigint('duration_ms', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.applicationId, table.minute, table.operation, table.status] }),
    index('usage_minutes_minute').on(table.minute),
  ],
);

/** The newest batch of usage counters that each gateway has written: one that comes again adds nothing. */
export const usageBatches = pgTable('usage_batches', {
  /** Names the process. */
  gateway: text('gateway').primaryKey(),
  number: integer('number').notNull(),
  writtenAt: timestamp('written_at', { withTimezone: true }).notNull(),
});

/** Single requests of the last days, for the log and the explain page. Bounded by age and by count for each application. Nothing personal. */
export const requestRecords = pgTable(
  'request_records',
  {
    applicationId: text('application_id').notNull(),
    at: timestamp('at', { withTimezone: true }).notNull(),
    /** As the caller knows it: X-Request-Id. Not unique: callers choose it. */
    requestId: text('request_id').notNull(),
    /** operationId of the OpenAPI document. */
    operation: text('operation').notNull(),
    status: integer('status').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** What happened inside (records/request-record.ts). */
    trace: json('trace').notNull(),
  },
  (table) => [
    index('request_records_application').on(table.applicationId, table.at),
    index('request_records_at').on(table.at),
    index('request_records_request').on(table.requestId),
  ],
);

/** Client secrets of an application: several may be live at once (rotation with an overlap). */
export const clientSecrets = pgTable(
  'client_secrets',
  {
    /** `sec_…`. */
    id: text('id').primaryKey(),
    applicationId: text('application_id')
      .notNull()
      .references(() => applications.id, { onDelete: 'cascade' }),
    /** HMAC-SHA-256 of the secret under the key `client_secret`, base64url: what a pair is checked against. */
    hmac: text('hmac').notNull(),
    /** The secret itself, sealed under a key of its own row that a versioned key wraps; null = it cannot be shown again. */
    sealed: text('sealed'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** Null = no expiry. */
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
    /** To the minute. */
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
  },
  (table) => [index('client_secrets_application').on(table.applicationId)],
);

/** Versions of products and where they are in their life (spec §3.1, §9). */
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

/** What ops and developers changed: who, when, what, before and after. Nothing secret. */
export const auditEvents = pgTable(
  'audit_events',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: timestamp('at', { withTimezone: true }).notNull().defaultNow(),
    /** `ops`, `system`, or an account id. */
    actor: text('actor').notNull(),
    /** Lower snake: secret_rotated, version_promoted, … */
    action: text('action').notNull(),
    /** Id of what was changed. */
    subject: text('subject').notNull(),
    before: json('before'),
    after: json('after'),
  },
  (table) => [index('audit_events_subject').on(table.subject), index('audit_events_actor').on(table.actor)],
);

/** Which products an application may call (spec §1.2); without a row the answer is 403. */
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

/** States that ops gave to suppliers at run time; without a row that of the configuration holds. */
export const supplierStates = pgTable(
  'supplier_states',
  {
    environment: text('environment').notNull(),
    supplierId: text('supplier_id').notNull(),
    /** off | shadow | live | drain | maintenance. */
    state: text('state').notNull(),
    /** Of maintenance: when it ends by itself, and the supplier is live again; null = when ops say so. */
    until: timestamp('until', { withTimezone: true }),
    changedAt: timestamp('changed_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.environment, table.supplierId] })],
);

/** A reservation (docs/model.md#reservation). Written before its supplier is called; what is personal stands only in the sealed columns. */
export const reservations = pgTable(
  'reservations',
  {
    /** `res_…`; also the reference that the supplier gets. */
    id: text('id').primaryKey(),
    applicationId: text('application_id')
      .notNull()
      .references(() => applications.id),
    supplier: text('supplier').notNull(),
    /** One of reservations/states.ts; a trigger holds the transition table. */
    state: text('state').notNull(),
    /** Why it is in this state, in our words; the trigger copies it into the history. */
    stateReason: text('state_reason').notNull(),
    /** application | gateway | reconciler | ops. */
    stateActor: text('state_actor').notNull(),
    /** Counts changes; a change must name the version it changes. */
    version: integer('version').notNull(),
    confirmationNumber: text('confirmation_number'),
    clientReference: text('client_reference'),
    /** What is needed to call the supplier about it, nothing personal (reservations/reservation.ts Rental). */
    rental: json('rental').notNull(),
    /** Its public description: vehicle, places, price … as the API shows them. */
    view: json('view').notNull(),
    /** Sealed JSON: driver, additional drivers, arrival, remark, voucher. Null = erased. */
    personal: text('personal'),
    /** Sealed JSON: what a change under way will make of it. Null = no change under way. */
    change: text('change'),
    payment: json('payment').notNull(),
    priceDrift: json('price_drift'),
    cancellation: json('cancellation'),
    /** When the last writing call may have reached the supplier at the latest. */
    sentUntil: timestamp('sent_until', { withTimezone: true }).notNull(),
    /** When the reconciler shall look at it; null = never. While a gateway works on it: when that gateway must be taken for dead. */
    nextCheckAt: timestamp('next_check_at', { withTimezone: true }),
    checks: integer('checks').notNull().default(0),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    /** One supplier booking belongs to one reservation: a found booking can never be given to a second one. */
    uniqueIndex('reservations_confirmation').on(table.confirmationNumber, table.supplier),
    index('reservations_due').on(table.nextCheckAt).where(sql`${table.nextCheckAt} is not null`),
    /** For the counts and ages of what is not clear. */
    index('reservations_unclear')
      .on(table.state)
      .where(sql`${table.state} in ('unknown', 'cancel_unknown', 'manual_review')`),
  ],
);

/** The transition table of reservations/states.ts, for the trigger. */
export const reservationTransitions = pgTable(
  'reservation_transitions',
  { fromState: text('from_state').notNull(), toState: text('to_state').notNull() },
  (table) => [primaryKey({ columns: [table.fromState, table.toState] })],
);

/** The history of every reservation, written by the trigger in the transaction of the change itself. */
export const reservationEvents = pgTable(
  'reservation_events',
  {
    reservationId: text('reservation_id')
      .notNull()
      .references(() => reservations.id),
    version: integer('version').notNull(),
    /** Null = it was created. */
    fromState: text('from_state'),
    toState: text('to_state').notNull(),
    at: timestamp('at', { withTimezone: true }).notNull(),
    actor: text('actor').notNull(),
    reason: text('reason').notNull(),
  },
  (table) => [primaryKey({ columns: [table.reservationId, table.version] })],
);

/** Answers to requests with an Idempotency-Key (ruling 16); the row comes with the reservation it made, never before. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    applicationId: text('application_id').notNull(),
    key: text('key').notNull(),
    /** HMAC of the body. */
    bodyHash: text('body_hash').notNull(),
    reservationId: text('reservation_id')
      .notNull()
      .references(() => reservations.id),
    /** Sealed JSON {status, headers, body}. Null = nothing was answered yet, or it was erased. */
    answer: text('answer'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.applicationId, table.key] }),
    index('idempotency_keys_created').on(table.createdAt),
  ],
);
