import { sql } from 'drizzle-orm';
import {
  bigserial,
  boolean,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

/** Addresses of applications that receive events (decision 0056). */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    /** `whe_…`. */
    id: text('id').primaryKey(),
    /** sandbox | production, as of its application. */
    environment: text('environment').notNull(),
    accountId: text('account_id').notNull(),
    applicationId: text('application_id').notNull(),
    url: text('url').notNull(),
    description: text('description').notNull().default(''),
    /** The event types that it receives. Null = all, also future ones. */
    events: text('events').array(),
    /** active | disabled (by its owner: receives and keeps nothing) | suspended (by the gateway: its events wait). */
    state: text('state').notNull().default('active'),
    /** The signing secret in a sealed envelope. */
    secret: text('secret').notNull(),
    /** The secret before, which signs as well until `previousUntil`. Null = none. */
    previousSecret: text('previous_secret'),
    previousUntil: timestamp('previous_until', { withTimezone: true }),
    /** While a gateway delivers to it: when that gateway's lease expires. */
    leasedUntil: timestamp('leased_until', { withTimezone: true }),
    /**
     * When a gateway looks for due events of it next: of those that became due since, webhookArrivals says so. While a gateway
     * delivers to it, `leasedUntil`. Null = no event waits that a gateway has noticed.
     */
    wakesAt: timestamp('wakes_at', { withTimezone: true }),
    /** When a gateway delivered to it last, for turns between endpoints by gateways of earlier versions. Null = never. */
    servedAt: timestamp('served_at', { withTimezone: true }),
    /** Attempts that failed since the last success. */
    failures: integer('failures').notNull().default(0),
    /** The first of them. Null = none. */
    failingSince: timestamp('failing_since', { withTimezone: true }),
    /** Nothing is sent before this instant. Null = at any time. */
    resumeAt: timestamp('resume_at', { withTimezone: true }),
    /** The last attempt failed or took long, or there was none yet. */
    isSlow: boolean('is_slow').notNull().default(true),
    /** When the last test event was queued. Null = never. */
    testedAt: timestamp('tested_at', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('webhook_endpoints_url').on(table.applicationId, table.url),
    /** For leasing endpoints, the longest due first, without visiting those that wait for later. */
    index('webhook_endpoints_heads')
      .on(table.environment, table.isSlow, table.wakesAt, table.id)
      .where(sql`${table.state} = 'active' and ${table.wakesAt} is not null`),
  ],
);

/**
 * Endpoints for which an event became due since a gateway last looked. Triggers add a row per event instead of changing the endpoint,
 * whose lock would make bookings wait for deliveries and for each other.
 */
export const webhookArrivals = pgTable(
  'webhook_arrivals',
  {
    environment: text('environment').notNull(),
    id: bigserial('id', { mode: 'number' }).notNull(),
    endpointId: text('endpoint_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.environment, table.id] })],
);

/**
 * Events for endpoints: the outbox, and the log of what was delivered. Triggers write a row per event and endpoint in the
 * transaction of the change. Without a foreign key to the endpoint, whose concurrent deletion must not fail a booking.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    /** The order of events of the same subject, because the triggers run while its row is locked. */
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    environment: text('environment').notNull(),
    applicationId: text('application_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    /** `evt_…`, the same at every endpoint and in every attempt. */
    eventId: text('event_id').notNull(),
    type: text('type').notNull(),
    /** What it is about: events of one subject are delivered in order. Id of a reservation, product or endpoint. */
    subject: text('subject').notNull(),
    /** When it happened. */
    at: timestamp('at', { withTimezone: true }).notNull(),
    /** What the body is made of (webhooks/event-body.ts), without personal data. */
    data: json('data').notNull(),
    /** pending | delivered | failed (given up). */
    state: text('state').notNull().default('pending'),
    attempts: integer('attempts').notNull().default(0),
    /** When it was recorded, last replayed, or first attempted since: attempts end 72 hours later. */
    dueSince: timestamp('due_since', { withTimezone: true }).notNull().defaultNow(),
    /** Not attempted before. */
    nextAt: timestamp('next_at', { withTimezone: true }).notNull().defaultNow(),
    /** The result of the last attempt: the HTTP status, or why there was none. Null = no attempt, or none. */
    lastStatus: integer('last_status'),
    lastError: text('last_error'),
    lastMs: integer('last_ms'),
    lastAt: timestamp('last_at', { withTimezone: true }),
  },
  (table) => [
    unique('webhook_deliveries_event').on(table.endpointId, table.eventId),
    /** For what is due, endpoint by endpoint. */
    index('webhook_deliveries_due')
      .on(table.environment, table.endpointId, table.id)
      .where(sql`${table.state} = 'pending'`),
    /** For the order of the events of a subject. */
    index('webhook_deliveries_subject')
      .on(table.endpointId, table.subject, table.id)
      .where(sql`${table.state} = 'pending'`),
    /** For what is sent again since an instant. */
    index('webhook_deliveries_sent').on(table.endpointId, table.at, table.id).where(sql`${table.state} <> 'pending'`),
    /** For whether an endpoint has events that were given up lately. */
    index('webhook_deliveries_failed').on(table.endpointId, table.lastAt).where(sql`${table.state} = 'failed'`),
    /** For the list of an endpoint. */
    index('webhook_deliveries_endpoint').on(table.endpointId, table.id),
    /** For the export of an account. */
    index('webhook_deliveries_application').on(table.applicationId, table.id),
    /** For the retention. */
    index('webhook_deliveries_kept').on(table.environment, table.at),
  ],
);
