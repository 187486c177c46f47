import { createSecretKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { contextOfApplication } from '../context/fixtures/context.js';
import { sampleReservation } from './fixtures/sample-reservation.js';
import { ReservationRepository } from './reservation.repository.js';
import { ReservationList } from './reservation-list.js';
import { reservationListQuery } from './reservation-list.wire.js';

const COUNT = 12_000;
/** A statement may take a few seconds only. */
const PART = 2_000;
const key = createSecretKey(Buffer.alloc(32, 5));
const opened = migratedDatabase();
const sample = sampleReservation({ applicationId: 'app_b' });

/** Reservations i = 0 … 11,999, three of the same instant each; every 6,000th is of another supplier. */
beforeAll(async () => {
  const database = opened();
  await database.rows(sql`insert into accounts (id, environment, name, tier) values ('acc_a', 'sandbox', 'a', 'demo')`);
  await database.rows(sql`insert into applications (id, account_id, name, client_id, environment, tier)
    values ('app_a', 'acc_a', 'a', 'client_a', 'sandbox', 'demo'), ('app_b', 'acc_a', 'b', 'client_b', 'sandbox', 'demo')`);
  await new ReservationRepository(database, configSchema.parse({}), () => key).insert(sample, undefined);
  // The triggers would write a history of each.
  const parts = Array.from({ length: COUNT / PART }, (_, at) => at * PART);
  await withoutTriggers(
    database,
    ...parts.map(
      (
        from,
      ) => `insert into reservations (id, environment, account_id, application_id, supplier, state, state_reason, state_actor,
      version, client_reference, rental, view, payment, sent_until, created_at, updated_at)
    select 'res_' || lpad(i::text, 20, '0'), environment, account_id, 'app_a', case when i % 6000 = 0 then 'rare' else supplier end, 'pending',
      'test', 'application', 1, null, rental, view, payment, now(), timestamptz '2027-01-01' + (i / 3) * interval '1 second', now()
    from reservations, generate_series(${from}, ${from + PART - 1}) i where id = '${sample.id}'`,
    ),
  );
}, 60_000);

/** All pages: the number of each one's reservations, and their ids. */
async function pages(first: Record<string, string>): Promise<{ sizes: number[]; ids: string[] }> {
  const list = new ReservationList(opened(), () => key);
  const context = contextOfApplication('app_a', 0, { accountId: 'acc_a' });
  const sizes: number[] = [];
  const ids: string[] = [];
  for (let query: Record<string, string> | undefined = first; query; ) {
    const { reservations, links } = await list.page(reservationListQuery.parse(query), context);
    sizes.push(reservations.length);
    ids.push(...reservations.map(({ reservation_id }) => reservation_id));
    query =
      links.next === undefined ? undefined : Object.fromEntries(new URL(links.next, 'http://gateway').searchParams);
  }
  return { sizes, ids };
}

const idOf = (at: number): string => `res_${String(at).padStart(20, '0')}`;

describe('the pages of a list', () => {
  it('have each reservation once, newest first, even with the same instant', async () => {
    // The newest quarter.
    const { sizes, ids } = await pages({ limit: '100', created_from: '2027-01-01T01:50:00+01:00' });
    expect([sizes.length, new Set(sizes)]).toEqual([COUNT / 400, new Set([100])]);
    expect(ids).toEqual(Array.from({ length: COUNT / 4 }, (_, at) => idOf(COUNT - 1 - at)));
  });

  it('search 5,000 reservations each, so that a rare supplier costs no more', async () => {
    await expect(pages({ supplier: 'rare' })).resolves.toEqual({ sizes: [0, 1, 1], ids: [idOf(6_000), idOf(0)] });
  });

  it('keep the filters', async () => {
    const { sizes, ids } = await pages({
      limit: '2',
      created_from: '2027-01-01T00:00:01Z',
      created_before: '2027-01-01T00:00:03Z',
    });
    expect([sizes, ids]).toEqual([[2, 2, 2], [8, 7, 6, 5, 4, 3].map(idOf)]);
  });
});

it('reads of each reservation what the list shows, not the terms of the rental', async () => {
  const { reports } = opened();
  const views: object[] = [];
  const transaction: typeof reports.tables.transaction = (run) =>
    reports.tables.transaction((tx) => {
      const execute = async (statement: Parameters<typeof tx.execute>[0]) => {
        const result = (await tx.execute(statement)) as unknown as { readonly rows: readonly { view?: object }[] };
        views.push(...result.rows.flatMap(({ view }) => view ?? []));
        return result;
      };
      return run(Object.assign(Object.create(tx), { execute }));
    });
  const tables: typeof reports.tables = Object.assign(Object.create(reports.tables), { transaction });
  const context = contextOfApplication('app_b', 0, { accountId: 'acc_a' });
  const list = new ReservationList({ reports: { ...reports, tables } }, () => key);
  const { reservations } = await list.page(reservationListQuery.parse({}), context);
  const { vehicle, pickup, dropoff } = sample.view;
  expect(reservations).toEqual([expect.objectContaining({ vehicle, pickup, dropoff })]);
  expect(views).toEqual([{ vehicle, pickup, dropoff }]);
});

claim('API4', 'The lists of reservations of all applications of an account are read one at a time.', async () => {
  const { reports } = opened();
  let [reading, most] = [0, 0];
  const transaction: typeof reports.tables.transaction = async (...words) => {
    reading += 1;
    most = Math.max(most, reading);
    try {
      return await reports.tables.transaction(...words);
    } finally {
      reading -= 1;
    }
  };
  const tables: typeof reports.tables = Object.assign(Object.create(reports.tables), { transaction });
  const list = new ReservationList({ reports: { ...reports, tables } }, () => key);
  const read = (accountId: string, applicationId: string) =>
    list.page(reservationListQuery.parse({}), contextOfApplication(applicationId, 0, { accountId }));
  const found = await Promise.all([read('acc_a', 'app_a'), read('acc_a', 'app_b'), read('acc_a', 'app_a')]);
  expect([most, found.map(({ reservations }) => reservations.length > 0)]).toEqual([1, [true, true, true]]);
  // Another account doesn't wait for them.
  await Promise.all([read('acc_a', 'app_a'), read('acc_other', 'app_other')]);
  expect(most).toBe(2);
});
