import type { SQL } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { reservationOperations } from '../../src/admin/operations/reservations.js';
import { configSchema } from '../../src/config/config.schema.js';
import type { Database } from '../../src/database/database.js';
import { ApplicationList } from '../../src/portal/ops/application-list.service.js';
import { ReservationList } from '../../src/portal/ops/reservation-list.service.js';
import { WaitingService } from '../../src/portal/ops/waiting.service.js';
import { describeWith } from '../support/binaries.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

const MANY = 20_000;
/** What a list of five may read: five for each of 14 states and a few more, however many there are. */
const MOST_READ = 300;

/** One reservation a minute, most of them completed, and events of which some were given up. */
const ROWS = `
  set session_replication_role = replica;
  insert into accounts (id, environment, name, tier) values ('acc_a', 'sandbox', 'a', 'demo');
  insert into applications (id, account_id, name, client_id, environment, tier)
    select 'app_' || n, 'acc_a', 'a', 'client_' || n, 'sandbox', 'demo' from generate_series(0, 4) n;
  insert into reservations (id, application_id, account_id, environment, supplier, state, state_reason, state_actor, version,
      client_reference, rental, view, payment, sent_until, created_at, updated_at, strays)
    select 'res_' || n, 'app_' || n % 5, 'acc_a', 'sandbox', case when n % 3 = 0 then 'uno' else 'dos' end,
      case when n % 50 = 1 then 'manual_review' when n % 50 = 2 then 'unknown' when n % 1000 = 3 then 'failed'
        when n % 1000 = 4 then 'confirmed' else 'completed' end,
      'asked', 'caller', 2, 'ref_' || n, '{}', '{}', '{}', now(), now() - n * interval '1 min', now() - n * interval '1 min',
      case when n % 5000 = 5 then '[]'::json end
    from generate_series(1, ${MANY}) n;
  insert into webhook_endpoints (id, environment, account_id, application_id, url, secret)
    select 'whe_' || n, 'sandbox', 'acc_a', 'app_' || n, 'https://example.com', 's' from generate_series(0, 4) n;
  insert into webhook_deliveries (environment, application_id, endpoint_id, event_id, type, subject, at, data, state, last_at)
    select 'sandbox', 'app_' || n % 5, 'whe_' || n % 5, 'evt_' || n, 'reservation.confirmed', 'res_' || n, now(), '{}',
      case when n in (17, 18) or n % 5 = 4 then 'failed' else 'delivered' end,
      case when n = 17 then now() else now() - interval '2 days' end
    from generate_series(1, ${MANY}) n;
  analyze`;

describeWith('initdb')(`the lists of operators, with ${MANY} reservations and events`, () => {
  let postgres: TestDatabase;
  let client: pg.Client;
  let database: Pick<Database, 'reports'>;
  const config = configSchema.parse({});
  beforeAll(async () => {
    postgres = await freshDatabase();
    client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(ROWS);
    const rows = async (statement: SQL) => (await drizzle(client).execute(statement)).rows;
    database = { reports: { rows } } as unknown as Pick<Database, 'reports'>;
  }, 60_000);
  afterAll(async () => {
    await client.end();
    await postgres.dispose();
  });

  const rowsRead = async (): Promise<number> => {
    await client.query('select pg_stat_force_next_flush()');
    const { rows } = await client.query<{ count: string }>(
      'select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as count from pg_stat_user_tables',
    );
    return Number(rows[0]?.count);
  };
  const readingFew = async <T>(read: () => Promise<T>, most = MOST_READ): Promise<T> => {
    const before = await rowsRead();
    const found = await read();
    expect((await rowsRead()) - before).toBeLessThan(most);
    return found;
  };

  test.each([
    ['all', {}, ['res_1', 'res_2', 'res_3', 'res_4', 'res_5']],
    ['one state', { state: 'completed' }, ['res_5', 'res_6', 'res_7', 'res_8', 'res_9']],
    ['a rare state', { state: 'failed' }, ['res_3', 'res_1003', 'res_2003', 'res_3003', 'res_4003']],
    ['a state without any', { state: 'pending' }, []],
    [
      'a state and supplier',
      { state: 'confirmed', supplier: 'uno' },
      ['res_2004', 'res_5004', 'res_8004', 'res_11004', 'res_14004'],
    ],
    ['a text', { text: 'ref_17000' }, ['res_17000']],
    ['an id', { text: 'res_17000', state: 'completed' }, ['res_17000']],
  ])('of reservations read few: %s', async (_, filter, ids) => {
    const listed = await readingFew(() => new ReservationList(database, config).list(filter, 5));
    expect(listed.map(({ id }) => id)).toEqual(ids);
    const operation = reservationOperations.find(({ id }) => id === 'listReservations');
    const call = { gateway: { database, config }, query: { ...filter, limit: 5 } } as never;
    const answer = (await readingFew(async () => operation?.run(call))) as {
      readonly items: readonly { readonly id: string }[];
    };
    expect(answer.items.map(({ id }) => id)).toEqual(ids);
  });

  test.each([
    ['attention', ['res_19952', 'res_19951', 'res_19902', 'res_19901', 'res_19852']],
    ['manual_review', ['res_19951', 'res_19901', 'res_19851', 'res_19801', 'res_19751']],
    ['second', ['res_15005', 'res_10005', 'res_5005', 'res_5']],
  ])('of what waits read few, those first that wait longest: %s', async (state, ids) => {
    const listed = await readingFew(() => new ReservationList(database, config).list({ state }, 5));
    expect(listed.map(({ id }) => id)).toEqual(ids);
  });

  test('the next page of the admin API begins after the page before', async () => {
    const operation = reservationOperations.find(({ id }) => id === 'listReservations');
    const pages: string[][] = [];
    for (let cursor: string | undefined, count = 0; count < 3; count += 1) {
      const call = { gateway: { database, config }, query: { limit: 2, cursor } } as never;
      const page = (await readingFew(async () => operation?.run(call))) as {
        readonly items: readonly { readonly id: string }[];
        readonly next_cursor: string;
      };
      pages.push(page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(pages).toEqual([
      ['res_1', 'res_2'],
      ['res_3', 'res_4'],
      ['res_5', 'res_6'],
    ]);
  });

  test('of applications with events that were given up today, and the counts of what waits, read only those', async () => {
    const filter = { text: undefined, show: 'webhooks' };
    const { found } = await readingFew(() => new ApplicationList(database, config).list(filter, 5));
    expect(found.map(({ applicationId }) => applicationId)).toEqual(['app_2']);
    const waiting = await readingFew(() => new WaitingService(database, config).count(), 3_000);
    expect(waiting).toMatchObject({ review: 400, second: 4, undelivered: 1 });
  });
});
