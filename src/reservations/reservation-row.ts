import { type SQL, sql } from 'drizzle-orm';
import type { SealedTexts } from '../config/sealed-text.js';
import type { Actor, Change, Personal, Reservation } from './reservation.js';
import type { State } from './states.js';

/** A row of the query with COLUMNS. */
export interface ReservationRow {
  id: string;
  application_id: string;
  supplier: string;
  state: State;
  version: number;
  confirmation_number: string | null;
  client_reference: string | null;
  rental: Reservation['rental'];
  view: Reservation['view'];
  personal: string | null;
  change: string | null;
  payment: Reservation['payment'];
  price_drift: NonNullable<Reservation['priceDrift']> | null;
  cancellation: NonNullable<Reservation['cancellation']> | null;
  strays: NonNullable<Reservation['strays']> | null;
  sent_until: number;
  next_check_at: number | null;
  checks: number;
  created_at: number;
  updated_at: number;
  history: [from: State | null, to: State, at: number, actor: Actor, reason: string][];
}

/** The most rows of a history that are read, the newest. Changes stop long before (change-guard.ts). */
const MOST_HISTORY = 500;

/** Everything of the reservation `r`, with its newest history. Times are epoch milliseconds. */
export const COLUMNS =
  sql.raw(`r.id, r.application_id, r.supplier, r.state, r.version, r.confirmation_number, r.client_reference, r.rental, r.view,
  r.personal, r.change, r.payment, r.price_drift, r.cancellation, r.strays, r.checks,
  ${['sent_until', 'next_check_at', 'created_at', 'updated_at'].map((name) => `(extract(epoch from r.${name}) * 1000)::float8 as ${name}`).join(', ')},
  (select json_agg(json_build_array(e.from_state, e.to_state, (extract(epoch from e.at) * 1000)::float8, e.actor, e.reason) order by e.version)
   from (select * from reservation_events where reservation_id = r.id order by version desc limit ${MOST_HISTORY}) e) as history`);

/** The reservation of a row. Throws if its personal data cannot be decrypted. */
export function reservationOf(row: ReservationRow, sealed: SealedTexts): Reservation {
  const personal =
    row.personal === null
      ? undefined
      : (JSON.parse(sealed.open(row.personal, placeOf('personal', row.id))) as Personal);
  const change =
    row.change === null ? undefined : (JSON.parse(sealed.open(row.change, placeOf('change', row.id))) as Change);
  return {
    id: row.id,
    applicationId: row.application_id,
    supplier: row.supplier,
    state: row.state,
    version: row.version,
    ...(row.confirmation_number === null ? {} : { confirmationNumber: row.confirmation_number }),
    ...(row.client_reference === null ? {} : { clientReference: row.client_reference }),
    rental: row.rental,
    view: row.view,
    ...(personal === undefined ? {} : { personal }),
    ...(change === undefined ? {} : { change }),
    payment: row.payment,
    ...(row.price_drift === null ? {} : { priceDrift: row.price_drift }),
    ...(row.cancellation === null ? {} : { cancellation: row.cancellation }),
    ...(row.strays === null ? {} : { strays: row.strays }),
    sentUntil: Math.round(row.sent_until),
    ...(row.next_check_at === null ? {} : { nextCheckAt: Math.round(row.next_check_at) }),
    checks: row.checks,
    createdAt: Math.round(row.created_at),
    updatedAt: Math.round(row.updated_at),
    history: row.history.map(([from, to, at, actor, reason]) => ({
      ...(from === null ? {} : { from }),
      to,
      at: Math.round(at),
      actor,
      reason,
    })),
  };
}

/** The place of an encrypted value: it can be decrypted only there. */
export function placeOf(column: string, reservationId: string): string {
  return `${column}:${reservationId}`;
}

/** Epoch milliseconds as ISO 8601. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** Epoch milliseconds as a timestamp; undefined = null. */
export function instant(at: number | undefined): SQL {
  return sql`${at === undefined ? null : iso(at)}::timestamptz`;
}

/** A JSON value; undefined = null. */
export function json(value: unknown): SQL {
  return sql`${value === undefined ? null : JSON.stringify(value)}::json`;
}
