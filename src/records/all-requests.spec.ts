import { expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { AllRequests, SEARCHED_PER_APPLICATION } from './all-requests.js';

const database = migratedDatabase();
const requests = (environment: 'sandbox' | 'production' = 'sandbox') =>
  new AllRequests(database(), configSchema.parse({ environment }));
const minute = Math.floor(Date.now() / 60_000) * 60_000;

beforeAll(async () => {
  const { rows } = database();
  for (const [app, environment] of [
    ['app_a', 'sandbox'],
    ['app_b', 'sandbox'],
    ['app_live', 'production'],
  ]) {
    const account = `acc_${app}`;
    await rows(
      sql`insert into accounts (id, environment, name, tier) values (${account}, ${environment}, 'Ada', 'standard')`,
    );
    await rows(sql`insert into applications (id, account_id, name, client_id, environment, tier)
      values (${app}, ${account}, ${`name of ${app}`}, ${`client_${app}`}, ${environment}, 'standard')`);
    const trace = {
      calls: [
        { supplier: 'bravo', outcome: 'failed', cause: 'timeout' },
        { supplier: 'alpine', outcome: 'answered' },
      ],
    };
    for (const [id, status] of [
      ['req_ok', 200],
      ['req_bad', 206],
    ] as const)
      await rows(sql`insert into request_log (application_id, at, request_id, operation, status, duration_ms, trace)
        values (${app}, now() - interval '1 second', ${id}, 'searchVehicles', ${status}, 5, ${JSON.stringify(status === 206 ? trace : { calls: [] })}::json)`);
    await rows(sql`insert into usage_counters (application_id, minute, operation, status, calls, duration_ms)
      values (${app}, ${new Date(minute).toISOString()}::timestamptz, 'searchVehicles', 206, 3, 30)`);
  }
});

it.each([
  ['a request id', { requestId: 'req_bad' }, 2],
  ['an application', { applicationId: 'app_a' }, 2],
  ['a supplier', { supplier: 'bravo' }, 2],
  ['a supplier and cause', { supplier: 'bravo', cause: 'timeout' }, 2],
  ['a cause of another supplier', { supplier: 'alpine', cause: 'timeout' }, 0],
  ['a status', { status: [206, 206] as const, applicationId: 'app_b' }, 1],
  ['a period', { from: Date.now() + 60_000 }, 0],
  ['an application of the other environment', { applicationId: 'app_live' }, 0],
  ['nothing', {}, 4],
])('requests of all accounts are found by %s', async (_what, filter, count) => {
  const found = await requests().list(filter, 100);
  expect(found).toHaveLength(count);
  expect(
    found.every(({ applicationName, applicationId }) => applicationName === `name of ${applicationId} (Ada)`),
  ).toBe(true);
});

it('the traffic of an environment is added up over its applications', async () => {
  expect(await requests().traffic(minute)).toEqual([
    { at: minute, operation: 'searchVehicles', status: 206, calls: 6, durationMs: 60 },
  ]);
  expect(await requests('production').traffic(minute)).toMatchObject([{ calls: 3 }]);
});

it('of each application, a bounded number of requests is searched', async () => {
  await database().rows(sql`insert into request_log select 'app_a', now() - n * interval '1 ms', 'many-' || n, 'searchVehicles', 200, 1, '{"calls":[]}'
    from generate_series(1, 900) n`);
  const found = await requests().list({ applicationId: 'app_a' }, 10_000);
  expect(found).toHaveLength(SEARCHED_PER_APPLICATION);
});

it('the traces of a bounded number of requests are parsed, however many applications there are', async () => {
  await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier)
    select 'app_many_' || a, 'acc_app_a', 'many', 'client_many_' || a, 'sandbox', 'standard' from generate_series(1, 12) a`);
  await database().rows(sql`insert into request_log select 'app_many_' || a, now() - a * interval '10 s' - n * interval '1 ms', 'old-' || n,
    'searchVehicles', 200, 1, '{"calls":[{"supplier":"echo","outcome":"answered"}]}' from generate_series(1, 12) a, generate_series(1, 450) n`);
  const found = async (filter: object) => (await requests().list({ supplier: 'echo', ...filter }, 10_000)).length;
  expect(await found({})).toBeLessThanOrEqual(5_000);
  expect(await found({})).toBeGreaterThan(4_000);
  expect(await found({ applicationId: 'app_many_12' })).toBe(450);
});
