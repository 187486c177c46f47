import { Inject, Injectable } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import { TurnMissedError } from '../config/turns.js';
import type { RequestContext } from '../context/request-context.js';
import { byIndex } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { moneyView } from '../representations/money-view.js';
import { seal, unseal } from '../representations/sealed-id.js';
import type { WireView } from '../representations/wire-view.js';
import { ApiError } from '../status/api-error.js';
import { throttled } from '../status/throttled.js';
import type { Reservation } from './reservation.js';
import type { ReservationListQuery, reservationListAnswer } from './reservation-list.wire.js';
import { instant, iso, type ReservationRow } from './reservation-row.js';

/** How many reservations are searched for one page, so that a filter that matches few of them costs no more than others. */
const MOST_SEARCHED = 5_000;
const RETRY_SECONDS = 2;

/** A page of the list, without the status. */
type ListPage = Pick<WireView<typeof reservationListAnswer>, 'reservations' | 'links'>;
type ListedRow = Pick<
  ReservationRow,
  | 'id'
  | 'supplier'
  | 'state'
  | 'version'
  | 'confirmation_number'
  | 'client_reference'
  | 'rental'
  | 'created_at'
  | 'updated_at'
> & { readonly view: Pick<ReservationRow['view'], 'vehicle' | 'pickup' | 'dropoff'> };
/** Where a page ends: the instant in epoch milliseconds and the id of its last reservation, and whose list it is. */
const cursorTuple = z.tuple([z.string(), z.number(), z.string()]);

const INSTANTS = sql.raw(
  ['created_at', 'updated_at'].map((name) => `(extract(epoch from ${name}) * 1000)::float8 as ${name}`).join(', '),
);

/** What the list shows of a view, which has texts of kilobytes besides. They stay in the database, which reads the view once. */
const SHOWN = sql`(select row_to_json(shown) from json_to_record(view) as shown(vehicle json, pickup json, dropoff json)) as view`;

/** Lists the reservations of an application (docs/reservations.md#listing). */
@Injectable()
export class ReservationList {
  readonly #keys: AcceptedKeys;

  constructor(
    @Inject(DATABASE) private readonly database: Pick<Database, 'reports'>,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#keys = acceptedKeys(keys, 'offer_id');
  }

  /**
   * A page, newest first. An account's requests are answered one at a time. Throws ApiError: 400 for a cursor that isn't
   * of its list, 429 if its earlier requests take more than two seconds, 401 if the token was revoked meanwhile. Rejects with the
   * driver's error if the database is unavailable.
   */
  async page(query: ReservationListQuery, context: RequestContext): Promise<ListPage> {
    const { applicationId } = context.policy;
    const after = query.cursor === undefined ? undefined : this.#after(query.cursor, applicationId);
    const rows = await this.#inTurn(context, () =>
      byIndex(this.database.reports.tables)<ListedRow & { is_found: boolean; number: number }>(
        statement(applicationId, query, after),
      ),
    );
    const found = rows.filter(({ is_found }) => is_found);
    const listed = found.slice(0, query.limit);
    const last = found.length > query.limit ? listed.at(-1) : rows.find(({ number }) => number === MOST_SEARCHED);
    return {
      reservations: listed.map(listedView),
      links: { next: last && this.#next(query, applicationId, last) },
    };
  }

  async #inTurn<T>(context: RequestContext, read: () => Promise<T>): Promise<T> {
    try {
      return await context.inTurn(this.database.reports.turns, read);
    } catch (error) {
      if (!(error instanceof TurnMissedError)) throw error;
      const details = 'The applications of your account wait for other pages of this list.';
      throw throttled(RETRY_SECONDS, details, 'Read one page after the other.');
    }
  }

  #after(cursor: string, applicationId: string): { at: number; id: string } {
    const text = unseal('cur_', cursor, this.#keys);
    const [owner, at, id] = cursorTuple.safeParse(text && JSON.parse(text)).data ?? [];
    if (owner !== applicationId || at === undefined || id === undefined)
      throw ApiError.of(
        'invalid_range',
        '"cursor" is not from a list of your application. Leave it out to start with the newest reservation.',
        { field: 'cursor' },
      );
    return { at, id };
  }

  #next({ cursor: _before, ...query }: ReservationListQuery, applicationId: string, last: ListedRow): string {
    const cursor = seal('cur_', JSON.stringify([applicationId, Math.round(last.created_at), last.id]), this.#keys[0]);
    const { created_from: from, created_before: before } = query;
    const words = Object.entries({
      ...query,
      ...(from === undefined ? {} : { created_from: iso(from) }),
      ...(before === undefined ? {} : { created_before: iso(before) }),
      cursor,
    }).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
    return `/cars/reservation/v1/reservations?${new URLSearchParams(words)}`;
  }
}

/** The reservations of a page and one more, and the last one searched. */
function statement(
  applicationId: string,
  query: ReservationListQuery,
  after: { readonly at: number; readonly id: string } | undefined,
): SQL {
  const { client_reference: reference, created_from: from, created_before: before } = query;
  const searched = [
    sql`application_id = ${applicationId}`,
    ...(reference === undefined ? [] : [sql`client_reference = ${reference}`]),
    ...(from === undefined ? [] : [sql`created_at >= ${instant(from)}`]),
    ...(before === undefined ? [] : [sql`created_at < ${instant(before)}`]),
    ...(after === undefined ? [] : [sql`(created_at, id) < (${instant(after.at)}, ${after.id})`]),
  ];
  const filters = filtersOf(query);
  const most = filters.length === 0 ? query.limit + 1 : MOST_SEARCHED;
  const isFound = sql.join([sql`true`, ...filters], sql` and `);
  return sql`select id, supplier, state, version, confirmation_number, client_reference, rental, ${SHOWN}, ${INSTANTS}, is_found, number
    from (select *, ${isFound} as is_found, (row_number() over (order by created_at desc, id desc))::int as number
      from (select * from reservations where ${sql.join(searched, sql` and `)}
        order by created_at desc, id desc limit ${most}) searched) numbered
    where is_found or number = ${MOST_SEARCHED} order by numbered.created_at desc, id desc limit ${query.limit + 1}`;
}

/** The conditions that no index has. */
function filtersOf({ state, supplier, pickup_from: from, pickup_until: until }: ReservationListQuery): readonly SQL[] {
  const day = sql`left(rental ->> 'pickupDate', 10)`;
  const list = (values: readonly string[]): SQL =>
    sql.join(
      values.map((one) => sql`${one}`),
      sql`, `,
    );
  return [
    ...(state === undefined ? [] : [sql`state in (${list(state)})`]),
    ...(supplier === undefined ? [] : [sql`supplier = ${supplier}`]),
    ...(from === undefined ? [] : [sql`${day} >= ${from}`]),
    ...(until === undefined ? [] : [sql`${day} <= ${until}`]),
  ];
}

function listedView(row: ListedRow): ListPage['reservations'][number] {
  const { rental, view } = row;
  const state: Reservation['state'] = row.state;
  return {
    reservation_id: row.id,
    confirmation_number: row.confirmation_number ?? undefined,
    client_reference: row.client_reference ?? undefined,
    state,
    supplier: row.supplier,
    brand: rental.brand,
    vehicle: view.vehicle,
    pickup: view.pickup,
    dropoff: view.dropoff,
    total: moneyView(rental.total),
    created_at: iso(Math.round(row.created_at)),
    updated_at: iso(Math.round(row.updated_at)),
    version: row.version,
  };
}
