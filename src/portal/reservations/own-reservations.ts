import { Inject, Injectable } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import { byIndex } from '../../database/by-index.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { instantAtPickup } from '../../reservations/rental-moments.js';
import type { Rental } from '../../reservations/reservation.js';

/** Which reservations to list; absent = any. */
export interface ReservationFilter {
  readonly states?: readonly string[] | undefined;
  readonly supplier?: string | undefined;
  readonly reference?: string | undefined;
  /** Made at or after, and before these instants, epoch milliseconds. */
  readonly from?: number | undefined;
  readonly before?: number | undefined;
}

/** The last reservation of a page; the next page begins after it. */
export interface ReservationCursor {
  readonly at: number;
  readonly id: string;
}

/** A reservation without anything about the renter. Instants are epoch milliseconds. */
export interface OwnReservation {
  readonly id: string;
  readonly applicationId: string;
  readonly supplier: string;
  readonly state: string;
  /** Why it is in this state. */
  readonly reason: string;
  readonly confirmationNumber: string | null;
  readonly clientReference: string | null;
  readonly brand: string;
  readonly pickupDate: string;
  readonly dropoffDate: string;
  readonly currency: string;
  readonly totalMinor: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A change of state. `from` is null for the creation; `at`: epoch milliseconds. */
export interface StateChange {
  readonly from: string | null;
  readonly to: string;
  readonly at: number;
  readonly actor: string;
  readonly reason: string;
}

/** An event of a reservation for a webhook endpoint. */
export interface SentEvent {
  readonly eventId: string;
  readonly type: string;
  readonly endpointId: string;
  readonly url: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly at: number;
}

/** A reservation with its history and events, newest last. Null = the supplier stated none. */
export interface ReservationDetails extends OwnReservation {
  readonly version: number;
  readonly vehicle: string | null;
  readonly pickup: string | null;
  readonly dropoff: string | null;
  readonly payment: string;
  readonly pickupAt: number;
  readonly dropoffAt: number;
  /** Until when cancelling is free. Undefined = the supplier stated none. */
  readonly freeUntil: number | undefined;
  readonly history: readonly StateChange[];
  readonly events: readonly SentEvent[];
}

type DetailsRow = Omit<ReservationDetails, 'freeUntil'> & {
  readonly freeUntilLocal: string | null;
  readonly pickupPlace: Rental['pickup'];
};

/** A page of the list. */
export interface ReservationPage {
  /** Newest first. */
  readonly reservations: readonly OwnReservation[];
  /** Where the next page begins; undefined = there are no older ones. */
  readonly next: ReservationCursor | undefined;
  /** Whether it ends where it does because MOST_SEARCHED reservations were searched, not because it is full. */
  readonly isCut: boolean;
}

/** How many reservations are searched for one page, so that a filter that matches few of them costs no more than others. */
export const MOST_SEARCHED = 5_000;
const MOST_HISTORY = 200;
const MOST_EVENTS = 100;
/** How many of the newest events of an application are searched for those of a reservation. */
const MOST_EXAMINED = 20_000;
/** The form of an id: PostgreSQL can't even look for some other texts. */
const ID = /^res_\w{1,60}$/;

const COLUMNS = sql.raw(`r.id, r.application_id as "applicationId", r.supplier, r.state, r.state_reason as reason,
  r.confirmation_number as "confirmationNumber", r.client_reference as "clientReference", r.rental ->> 'brand' as brand,
  r.rental ->> 'pickupDate' as "pickupDate", r.rental ->> 'dropoffDate' as "dropoffDate", r.rental -> 'total' ->> 'currency' as currency,
  (r.rental -> 'total' ->> 'amountMinor')::float8 as "totalMinor",
  ${['created', 'updated'].map((name) => `(extract(epoch from r.${name}_at) * 1000)::float8 as "${name}At"`).join(', ')}`);

/** Reads reservations of the given applications, which callers check to be their own, without data of the renter. */
@Injectable()
export class OwnReservations {
  constructor(@Inject(DATABASE) private readonly database: Pick<Database, 'reports'>) {}

  /** Up to `count`, newest first, starting after the cursor. Searches the next MOST_SEARCHED reservations. */
  async list(
    applicationIds: readonly string[],
    filter: ReservationFilter,
    after: ReservationCursor | undefined,
    count: number,
  ): Promise<ReservationPage> {
    if (applicationIds.length === 0) return { reservations: [], next: undefined, isCut: false };
    const rows = await byIndex(this.database.reports.tables)<
      OwnReservation & { readonly isFound: boolean; readonly number: number }
    >(sql`
      select ${COLUMNS}, r."isFound", r.number from (
        select *, ${isFound(filter)} as "isFound", (row_number() over (order by created_at desc, id desc))::int as number
        from (${newest(applicationIds, isSearched(filter, after))}) searched) r
      where r."isFound" or r.number = ${MOST_SEARCHED} order by r.number limit ${count + 1}`);
    const found = rows.filter((row) => row.isFound);
    const reservations = found.slice(0, count);
    const isFull = found.length > count;
    const lastSearched = rows.find(({ number }) => number === MOST_SEARCHED);
    const last = isFull ? reservations.at(-1) : lastSearched;
    return {
      reservations,
      next: last && { at: last.createdAt, id: last.id },
      isCut: !isFull && lastSearched !== undefined,
    };
  }

  /** Undefined if none of the applications has it. The history and the events have their newest rows. */
  async find(applicationIds: readonly string[], id: string): Promise<ReservationDetails | undefined> {
    if (applicationIds.length === 0 || !ID.test(id)) return undefined;
    const [row] = await this.database.reports.rows<DetailsRow>(sql`
      select ${COLUMNS}, r.version, r.view -> 'vehicle' ->> 'name' as vehicle, r.payment ->> 'type' as payment,
        r.view -> 'pickup' -> 'location' ->> 'name' as pickup, r.view -> 'dropoff' -> 'location' ->> 'name' as dropoff,
        ${sql.raw(['pickup', 'dropoff'].map((end) => `(extract(epoch from (r.view -> '${end}' ->> 'date_utc')::timestamptz) * 1000)::float8 as "${end}At"`).join(', '))},
        r.view -> 'cancellation' ->> 'free_until' as "freeUntilLocal", r.rental -> 'pickup' as "pickupPlace",
        (select json_agg(json_build_object('from', e.from_state, 'to', e.to_state, 'at', (extract(epoch from e.at) * 1000)::float8,
            'actor', e.actor, 'reason', e.reason) order by e.version)
          from (select * from reservation_events where reservation_id = r.id order by version desc limit ${MOST_HISTORY}) e) as history,
        (select coalesce(json_agg(json_build_object('eventId', d.event_id, 'type', d.type, 'endpointId', d.endpoint_id, 'url', p.url,
            'state', d.state, 'attempts', d.attempts, 'lastStatus', d.last_status, 'at', (extract(epoch from d.at) * 1000)::float8) order by d.id), '[]')
          from (select * from (select * from webhook_deliveries where application_id = r.application_id order by id desc limit ${MOST_EXAMINED}) own
            where subject = r.id order by id desc limit ${MOST_EVENTS}) d
          left join webhook_endpoints p on p.id = d.endpoint_id) as events
      from reservations r where r.id = ${id} and r.application_id in (${listed(applicationIds)})`);
    if (!row) return undefined;
    const { freeUntilLocal, pickupPlace, ...found } = row;
    return { ...found, freeUntil: freeUntilLocal === null ? undefined : instantAtPickup(pickupPlace, freeUntilLocal) };
  }

  /** The id and state of the reservation that `isMarked` recognizes, among the newest MOST_SEARCHED of an application; undefined = none. */
  async marked(
    applicationId: string,
    isMarked: (id: string) => boolean,
  ): Promise<{ readonly id: string; readonly state: string } | undefined> {
    const rows = await byIndex(this.database.reports.tables)<{ readonly id: string; readonly state: string }>(
      sql`select id, state from reservations where application_id = ${applicationId} order by created_at desc, id desc limit ${MOST_SEARCHED}`,
    );
    return rows.find(({ id }) => isMarked(id));
  }
}

/** The newest rows of the applications that meet a condition, each read in the order of its index. */
function newest(applicationIds: readonly string[], condition: SQL): SQL {
  const each = applicationIds.map(
    (id) => sql`(select * from reservations where application_id = ${id} and ${condition}
      order by created_at desc, id desc limit ${MOST_SEARCHED})`,
  );
  return sql`select * from (${sql.join(each, sql` union all `)}) own order by created_at desc, id desc limit ${MOST_SEARCHED}`;
}

function isSearched({ reference, from, before }: ReservationFilter, after: ReservationCursor | undefined): SQL {
  return sql.join([
    reference === undefined ? sql`true` : sql`client_reference = ${reference}`,
    ...(from === undefined ? [] : [sql` and created_at >= ${instant(from)}`]),
    ...(before === undefined ? [] : [sql` and created_at < ${instant(before)}`]),
    ...(after === undefined ? [] : [sql` and (created_at, id) < (${instant(after.at)}, ${after.id})`]),
  ]);
}

function isFound({ states, supplier }: ReservationFilter): SQL {
  return sql.join([
    sql`true`,
    ...(states === undefined ? [] : [sql` and state in (${listed(states)})`]),
    ...(supplier === undefined ? [] : [sql` and supplier = ${supplier}`]),
  ]);
}

function listed(values: readonly string[]): SQL {
  return sql.join(
    values.map((one) => sql`${one}`),
    sql`, `,
  );
}

/** Later years have more digits, which PostgreSQL can't read. */
const LATEST = Date.UTC(9999, 11, 31);

function instant(epochMs: number): SQL {
  return sql`${new Date(Math.min(epochMs, LATEST)).toISOString()}::timestamptz`;
}
