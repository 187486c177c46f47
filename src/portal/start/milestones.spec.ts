import { expect, test } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../../test/support/claim.js';
import { migratedDatabase, withoutTriggers } from '../../../test/support/migrated-database.js';
import { MilestonesReader } from './milestones.service.js';

const database = migratedDatabase('usage_counters', 'reservation_events', 'reservations');
const read = () => new MilestonesReader(database()).of('app_1');
/** Counters of so many minutes, the last one `ago` minutes ago. */
const count = (minutes: number, ago: number, operation: string, status: number) =>
  database().rows(sql`insert into usage_counters (application_id, minute, operation, status, calls, duration_ms)
    select 'app_1', date_trunc('minute', now()) - (i + ${ago}::int) * interval '1 minute', ${operation}, ${status}, 1, 1
    from generate_series(0, ${minutes - 1}::int) i`);

test.each([
  [[], { token: false, ok: false, partial: false }],
  [[['searchVehicles', 401]], { token: false, ok: false, partial: false }],
  [[['issueToken', 200]], { token: true, ok: false, partial: false }],
  [[['searchVehicles', 200]], { token: true, ok: true, partial: false }],
  [[['searchVehicles', 206]], { token: true, ok: false, partial: true }],
] as const)('%j is seen as %j', async (calls, expected) => {
  for (const [operation, status] of calls) await count(1, 0, operation, status);
  expect(await read()).toEqual({ ...expected, booking: false, webhook: false });
});

test.each([
  [['confirmed'], true],
  [['unknown', 'confirmed'], false],
  [['failed'], false],
])('a booking that became %j was seen with a 201: %s', async (states, booking) => {
  await withoutTriggers(
    database(),
    `insert into reservations (id, environment, application_id, supplier, state, state_reason, state_actor, version, rental, view,
        payment, sent_until, created_at, updated_at)
      values ('res_1', 'sandbox', 'app_1', 'alpine', '${states.at(-1)}', '', 'gateway', ${states.length + 1}, '{}', '{}', '{}', now(), now(), now())`,
    ...states.map(
      (state, at) => `insert into reservation_events (reservation_id, version, from_state, to_state, at, actor, reason)
        values ('res_1', ${at + 2}, '${states[at - 1] ?? 'pending'}', '${state}', now(), 'gateway', '')`,
    ),
  );
  expect(await read()).toMatchObject({ booking });
});

claim('API4', 'The home page searches the newest 10,000 counters of an application, however many it has.', async () => {
  await count(9_999, 0, 'searchVehicles', 404);
  await count(1, 9_999, 'searchVehicles', 206);
  await count(1, 10_000, 'searchVehicles', 200);
  expect(await read()).toMatchObject({ partial: true, ok: false });
});
