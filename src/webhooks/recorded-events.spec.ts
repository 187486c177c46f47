import { expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { sampleReservation } from '../reservations/fixtures/sample-reservation.js';
import { ReservationRepository } from '../reservations/reservation.repository.js';
import { eventBody, type StoredEvent } from './event-body.js';
import { EVENT_TYPE_NAMES } from './event-types.js';

const database = migratedDatabase();
const run = (text: string) => database().rows(sql.raw(text));

/** What the triggers write about a change of a reservation: the texts of the reason and of the price drift are SQL. */
async function change(from: string, to: string, more = ''): Promise<void> {
  await withoutTriggers(
    database(),
    `update reservations set state = '${from}', state_reason = 'x', price_drift = null, strays = null`,
  );
  await run(`update reservations set state = '${to}', version = version + 1 ${more}`);
}

it('every type of event is written by the database in the change itself, and has a body', async () => {
  await run(`insert into accounts (id, environment, name, tier) values ('acc_1', 'sandbox', 'Ada', 'demo')`);
  await run(`insert into applications (id, account_id, name, client_id, environment, tier)
    values ('app_1', 'acc_1', 'Shop', 'client_1', 'sandbox', 'demo')`);
  await run(`insert into webhook_endpoints (id, environment, account_id, application_id, url, secret)
    values ('whe_1', 'sandbox', 'acc_1', 'app_1', 'https://hooks.example.com/', 'x')`);
  const config = configSchema.parse({ secret: 'a-secret-of-the-recorded-events-tests-0123456789' });
  const reservation = sampleReservation({ id: 'res_1', applicationId: 'app_1' });
  await new ReservationRepository(database(), config, loadKeys(config)).insert(reservation, undefined);
  const drift = `{"accepted":{"minor":100,"currency":"USD","digits":2},"actual":{"minor":200,"currency":"USD","digits":2}}`;
  await change('pending', 'confirmed', `, price_drift = '${drift}'`);
  await change('pending', 'on_request');
  await change('on_request', 'rejected');
  await change('on_request', 'expired');
  await change('pending', 'failed');
  await change('modify_pending', 'confirmed', `, state_reason = 'changed: remark'`);
  await change('modify_pending', 'confirmed', `, state_reason = 'change refused: sold_out'`);
  await change('cancel_pending', 'confirmed');
  await change('unknown', 'manual_review');
  await change('manual_review', 'cancelled');
  await change('failed', 'confirmed');
  await change('confirmed', 'completed');
  await change('confirmed', 'no_show');
  await run(`insert into products (id, name, path, state) values ('cars', 'Cars', '/cars', 'live')`);
  await run(`insert into product_versions (product_id, major, minor, patch, state) values ('cars', 1, 0, 0, 'live')`);
  await run(`insert into subscriptions (application_id, product_id) values ('app_1', 'cars')`);
  await run(`update product_versions set state = 'deprecated', deprecated_at = now()`);

  const rows = await database().rows<StoredEvent & { state: string }>(
    sql`select event_id as "eventId", type, application_id as "applicationId", data, state,
      (extract(epoch from at) * 1000)::float8 as at from webhook_deliveries order by id`,
  );
  expect([...new Set(rows.map(({ type }) => type))].sort()).toEqual([...EVENT_TYPE_NAMES].sort());
  for (const row of rows) {
    expect(row.state).toBe('pending');
    if (row.type !== 'reservation.price_drift') expect(JSON.parse(eventBody(row))).toMatchObject({ type: row.type });
  }
});

it('has another id if a restored database repeats a version', async () => {
  const versionAgain = async () => {
    await withoutTriggers(
      database(),
      `update reservations set state = 'pending', version = 50`,
      'delete from reservation_events',
    );
    await run(`delete from webhook_deliveries`);
    await run(`update reservations set state = 'confirmed', version = 51, updated_at = clock_timestamp()`);
    const rows = await database().rows<{ id: string }>(sql`select event_id as id from webhook_deliveries`);
    return rows.map(({ id }) => id);
  };
  const [first, second] = [await versionAgain(), await versionAgain()];
  expect([first.length, second.length]).toEqual([1, 1]);
  expect(second).not.toEqual(first);
});
