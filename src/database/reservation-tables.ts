import { sql } from 'drizzle-orm';
import {
  foreignKey,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { applications } from './schema.js';

/**
 * A reservation (model.md Reservation). Written before the supplier is called. Personal data is only in the sealed
 * columns.
 */
export const reservations = pgTable(
  'reservations',
  {
    /** `res_…`. Also the reference sent to the supplier. */
    id: text('id').primaryKey(),
    /** sandbox | production, as of its application. */
    environment: text('environment').notNull(),
    /** The account of its application. Null = booked before migration 0020. */
    accountId: text('account_id'),
    applicationId: text('application_id').notNull(),
    supplier: text('supplier').notNull(),
    /** A state from reservations/states.ts. A trigger enforces the transition table. */
    state: text('state').notNull(),
    /** Why it is in this state, in the gateway's words. The trigger copies it into the history. */
    stateReason: text('state_reason').notNull(),
    /** application | gateway | reconciler | ops. */
    stateActor: text('state_actor').notNull(),
    /** Incremented on every change. A change must name the version it is based on. */
    version: integer('version').notNull(),
    confirmationNumber: text('confirmation_number'),
    /** 0 = the number is its own. Otherwise the supplier gave it again after the reservation ended (confirmation-numbers.ts). */
    numberTurn: integer('number_turn').notNull().default(0),
    /** Null = none, or erased. */
    clientReference: text('client_reference'),
    /** SHA-256 of the quote id that it was booked with. Null = booked with an offer, or nothing was sent to the supplier. */
    quoteDigest: text('quote_digest'),
    /** Data needed to call the supplier about it, without personal data (reservations/reservation.ts Rental). */
    rental: json('rental').notNull(),
    /** Its public description (vehicle, places, price, …) as returned by the API. */
    view: json('view').notNull(),
    /** Sealed JSON: driver, additional drivers, arrival, remark, and voucher. Null = erased. */
    personal: text('personal'),
    /** Sealed JSON: the result of a change in progress. Null = no change in progress. */
    change: text('change'),
    payment: json('payment').notNull(),
    priceDrift: json('price_drift'),
    cancellation: json('cancellation'),
    /** Active bookings of its reference besides its own, as [{number, ref, cancel}]. Null = none is known. */
    strays: json('strays'),
    /** Latest time at which the last writing call may have reached the supplier. */
    sentUntil: timestamp('sent_until', { withTimezone: true }).notNull(),
    /** When the reconciler checks it; null = never. While a gateway works on it: when that gateway's lease expires. */
    nextCheckAt: timestamp('next_check_at', { withTimezone: true }),
    checks: integer('checks').notNull().default(0),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    foreignKey({
      name: 'reservations_application_environment',
      columns: [table.applicationId, table.environment],
      foreignColumns: [applications.id, applications.environment],
    }),
    /**
     * A supplier booking belongs to one reservation, so a found booking can never be assigned to a second one. Suppliers
     * of different environments have different bookings, even under the same id, and may number those of each brand on its own.
     */
    uniqueIndex('reservations_number').on(
      table.confirmationNumber,
      table.supplier,
      sql`(${table.rental} ->> 'brand')`,
      table.environment,
      table.numberTurn,
    ),
    /** A quote books once. */
    uniqueIndex('reservations_quote').on(table.quoteDigest, table.environment),
    /** For taking due reservations in turns between accounts, awaited outcomes apart from the rest. */
    index('reservations_turns')
      .on(
        table.environment,
        sql`(${table.state} in ('pending', 'unknown', 'modify_pending', 'cancel_pending', 'cancel_unknown'))`,
        table.supplier,
        sql`coalesce(${table.accountId}, '')`,
        table.nextCheckAt,
      )
      .where(sql`${table.nextCheckAt} is not null`),
    /** For finding the accounts whose checks are due, the longest due first, without visiting those of others. */
    index('reservations_heads')
      .on(
        table.environment,
        sql`(${table.state} in ('pending', 'unknown', 'modify_pending', 'cancel_pending', 'cancel_unknown'))`,
        table.supplier,
        table.nextCheckAt,
      )
      .where(sql`${table.nextCheckAt} is not null`),
    /** For the list of an application's reservations, and for finding one by its client_reference. */
    index('reservations_listed').on(table.applicationId, table.createdAt, table.id),
    index('reservations_reference')
      .on(table.applicationId, table.clientReference, table.createdAt, table.id)
      .where(sql`${table.clientReference} is not null`),
    /** For the export of an account. */
    index('reservations_application').on(table.applicationId, table.id),
    /** For the limits of an account's open reservations at a supplier. */
    index('reservations_open')
      .on(table.accountId, table.supplier, table.state)
      .where(sql`${table.state} in ('pending', 'unknown', 'cancel_unknown', 'on_request')`),
    /** For the retention of personal data, which begins with the end of the rental or of the reservation. */
    index('reservations_dropoff')
      .on(sql`(${table.rental} ->> 'dropoffDate')`)
      .where(sql`${table.personal} is not null`),
    index('reservations_ended')
      .on(table.updatedAt)
      .where(sql`${table.personal} is not null and ${table.state} in ('cancelled', 'rejected', 'failed', 'expired')`),
    /** For the rentals of each application that end by its test clock: at the dropoff or, as a no-show, at the pickup. */
    index('reservations_dropoffs')
      .on(table.applicationId, sql`((${table.view} -> 'dropoff' ->> 'date_utc') collate "C")`)
      .where(sql`${table.environment} = 'sandbox' and ${table.state} = 'confirmed'`),
    index('reservations_pickups')
      .on(table.applicationId, sql`((${table.view} -> 'pickup' ->> 'date_utc') collate "C")`)
      .where(sql`${table.environment} = 'sandbox' and ${table.state} = 'confirmed'`),
    /** For the second bookings that an operator must decide about. */
    index('reservations_strays').on(table.supplier).where(sql`${table.strays} is not null`),
    /** Used by the release before: dropped in the next one. */
    index('reservations_unclear')
      .on(table.state)
      .where(sql`${table.state} in ('unknown', 'cancel_unknown', 'manual_review')`),
    /** For the counts, ages and lists of unresolved reservations. */
    index('reservations_waiting')
      .on(table.environment, table.state, table.updatedAt)
      .where(sql`${table.state} in ('unknown', 'cancel_unknown', 'manual_review')`),
    /** For the lists of operators, state by state. With the supplier, so that those of another are passed over without reading them. */
    index('reservations_states').on(table.environment, table.state, table.createdAt, table.id, table.supplier),
    /** For the deletion of those in the sandbox. */
    index('reservations_unused').on(table.updatedAt).where(sql`${table.environment} = 'sandbox'`),
  ],
);

/** The transition table from reservations/states.ts, for the trigger. */
export const reservationTransitions = pgTable(
  'reservation_transitions',
  { fromState: text('from_state').notNull(), toState: text('to_state').notNull() },
  (table) => [primaryKey({ columns: [table.fromState, table.toState] })],
);

/** The history of every reservation, written by the trigger in the same transaction as the change. */
export const reservationEvents = pgTable(
  'reservation_events',
  {
    reservationId: text('reservation_id')
      .notNull()
      .references(() => reservations.id),
    version: integer('version').notNull(),
    /** Null = the creation. */
    fromState: text('from_state'),
    toState: text('to_state').notNull(),
    at: timestamp('at', { withTimezone: true }).notNull(),
    actor: text('actor').notNull(),
    reason: text('reason').notNull(),
  },
  (table) => [primaryKey({ columns: [table.reservationId, table.version] })],
);

/**
 * Answers to requests with an Idempotency-Key (ruling 16). The row is inserted together with its reservation, never
 * before.
 */
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
    /** Sealed JSON {status, headers, body}. Null = not answered yet, or erased. */
    answer: text('answer'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.applicationId, table.key] }),
    index('idempotency_keys_created').on(table.createdAt),
    /** For the erasure of personal data. */
    index('idempotency_keys_reservation').on(table.reservationId),
  ],
);
