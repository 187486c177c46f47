import { type SQL, sql } from 'drizzle-orm';
import type { Config } from '../config/config.schema.js';
import type { Reservation } from './reservation.js';
import { iso, json } from './reservation-row.js';

/** Keyed hashes of an Idempotency-Key and of the body. */
interface RequestHashes {
  readonly key: string;
  readonly bodyHash: string;
}

/** Identifies a request by application and Idempotency-Key, with the hash of its body. */
export interface RequestKey extends RequestHashes {
  readonly applicationId: string;
  /** The hashes from the other secret, with which another gateway may look for it. Absent = there is none. */
  readonly other?: RequestHashes;
}

/** The hashes under which a request is or may be stored, its own first. */
export function hashesOf({ key, bodyHash, other }: RequestKey): readonly RequestHashes[] {
  return [{ key, bodyHash }, ...(other ? [other] : [])];
}

/** Stores a sealed answer to a request that has none, under each of its keys. A gateway with one secret may have stored one under one of them. */
export function record(request: RequestKey, sealed: string): SQL {
  const keys = sql.join(
    hashesOf(request).map(({ key }) => sql`${key}`),
    sql`, `,
  );
  const isRequest = sql`application_id = ${request.applicationId} and key in (${keys})`;
  const other = request.other ? sql`(select max(answer) from idempotency_keys where ${isRequest}),` : sql``;
  return sql`update idempotency_keys set answer = coalesce(answer, ${other} ${sealed}) where ${isRequest}`;
}

/**
 * What `insert` did. It stored nothing if the key is already taken, or if as many reservations of the account at the
 * supplier are unresolved or on request as `reservations.unresolvedPerAccount` and `onRequestPerAccount` allow.
 */
export type Insertion = 'stored' | 'key_taken' | TooMany;

/** Why the account cannot book at the supplier now. */
export type TooMany = 'too_many_unresolved' | 'too_many_on_request';

/** What the statement returns: one row, or none if the application doesn't exist. */
export interface InsertedRow {
  readonly is_stored: boolean;
  readonly refusal: TooMany | null;
}

/** What a new reservation is stored with. */
interface Circumstances {
  readonly environment: string;
  /** Its sealed personal data. */
  readonly personal: string | null;
  readonly most: Pick<Config['reservations'], 'unresolvedPerAccount' | 'onRequestPerAccount'>;
  /** Undefined = without a key. */
  readonly request: RequestKey | undefined;
  /** The digest of its quote; undefined = booked with an offer. */
  readonly quote: string | undefined;
  /** An instant in epoch milliseconds as SQL; undefined = null. */
  due(at: number | undefined): SQL;
}

/** Stores a reservation and its key, or neither, and says why not, in one statement. */
export function insertStatement(
  reservation: Reservation,
  { environment, personal, most, request, quote, due }: Circumstances,
): SQL {
  const [first] = reservation.history;
  const { applicationId, supplier } = reservation;
  const created = iso(reservation.createdAt);
  // In the order of keys, so that two gateways with the same secrets, of which each makes another one first, don't wait for each other.
  const hashes = request ? hashesOf(request).toSorted((a, b) => (a.key < b.key ? -1 : 1)) : [];
  const claims = hashes.map(
    ({ key, bodyHash }) =>
      sql`select ${request?.applicationId}, ${key}, ${bodyHash}, ${reservation.id}, ${created}::timestamptz from owner where refusal is null`,
  );
  const claim = request
    ? sql`claim as (
        insert into idempotency_keys (application_id, key, body_hash, reservation_id, created_at)
        ${sql.join(claims, sql` union all `)}
        on conflict do nothing returning 1),`
    : sql``;
  return sql`with
    account as (select account_id from applications where id = ${applicationId}),
    owner as (select account_id, case
        when ${reaches(most.unresolvedPerAccount, supplier, UNRESOLVED)} then 'too_many_unresolved'
        when ${reaches(most.onRequestPerAccount, supplier, ON_REQUEST)} then 'too_many_on_request'
      end as refusal from account),
    ${claim}
    stored as (
      insert into reservations (id, environment, account_id, application_id, supplier, state, state_reason, state_actor, version, client_reference,
        quote_digest, rental, view, personal, payment, sent_until, next_check_at, created_at, updated_at)
      select ${reservation.id}, ${environment}, account_id, ${applicationId}, ${supplier}, ${reservation.state}, ${first?.reason ?? ''},
        ${first?.actor ?? 'application'}, ${reservation.version}, ${reservation.clientReference ?? null}, ${quote ?? null},
        ${json(reservation.rental)}, ${json(reservation.view)}, ${personal}, ${json(reservation.payment)}, ${due(reservation.sentUntil)},
        ${due(reservation.nextCheckAt)}, ${created}::timestamptz, ${created}::timestamptz
      from owner where refusal is null ${request ? sql`and (select count(*) from claim) = ${sql.raw(String(hashes.length))}` : sql``}
      returning 1)
    select exists (select 1 from stored) as is_stored, refusal from owner`;
}

/** Whether `most` reservations of the account at the supplier are in these states. Reads no more than those. */
function reaches(most: number, supplier: string, states: SQL): SQL {
  return sql`(select count(*) from (select 1 from reservations where account_id = (select account_id from account)
    and supplier = ${supplier} and ${states} limit ${most}) as counted) >= ${most}`;
}

/** With the states of the index reservations_open. */
const UNRESOLVED = sql`state in ('pending', 'unknown', 'cancel_unknown')`;

const ON_REQUEST = sql`state = 'on_request'`;
