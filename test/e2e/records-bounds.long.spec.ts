import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { Client } from '../support/client.js';
import { ROOMY } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { counted } from '../support/recorded.js';
import { locationsPath } from '../support/rental.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const PER_SECOND = 4;
const KEPT = 100;
const SETTINGS = { records: { perSecond: PER_SECOND, perApplication: KEPT, days: 1 } };

describeWith('initdb')('bounds of the request records', () => {
  let postgres: TestDatabase;
  let gateway: Gateway;
  let client: Client;
  beforeAll(async () => {
    postgres = await freshDatabase();
    gateway = await startGateway({ env: { DATABASE_URL: postgres.url }, config: { tiers: ROOMY, settings: SETTINGS } });
    client = await Client.of(gateway);
    await client.token();
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await postgres.dispose();
  });
  const rows = async (where: string): Promise<number> =>
    Number((await postgres.query(`select count(*)::int as rows from request_log where ${where}`))[0]?.rows);
  const insert = (age: string, count: number, application = 'app_demo') =>
    postgres.query(
      `insert into request_log select $1, now() - $2::interval - n * interval '1 ms', 'old-' || n, 'searchLocations', 200, 5,
         '{"budgetMs":1,"calls":[],"skipped":[],"entries":[]}' from generate_series(1, $3) n`,
      [application, age, count],
    );

  test('a burst is sampled at the configured rate and keeps its one failure; every call is counted', async () => {
    const startedAt = Date.now();
    const call = (index: number) =>
      client.get(locationsPath('BOS', index === 60 ? { radius_km: 'x' } : { country_code: 'US' }), {
        headers: { 'x-request-id': index === 60 ? 'the-one-failure' : `burst-call-${index}` },
      });
    // Not all together: an overloaded gateway refuses calls before it knows whose they are.
    const lane = async (_: unknown, first: number) => {
      for (let index = first; index < 80; index += 10) await call(index);
    };
    await Promise.all(Array.from({ length: 10 }, lane));
    const turns = Math.ceil((Date.now() - startedAt) / 1_000) + 1;
    expect(await counted(postgres, 81)).toEqual({
      'getAccessToken 200': 1,
      'searchLocations 200': 79,
      'searchLocations 400': 1,
    });
    expect(await rows(`request_id = 'the-one-failure'`)).toBe(1);
    const kept = await rows(`request_id like 'burst-call-%'`);
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThanOrEqual(turns * PER_SECOND);
    expect(await client.gateway.metrics()).toMatch(/request_records_total\{fate="sampled_out"\} \d\d/);
  });

  test("drops partitions past their days, deletes an application's requests beyond its newest; keeps those of others", async () => {
    client.close();
    await gateway.stop();
    // As if the version that had no partitions was replaced a month ago.
    await postgres.query(`begin; truncate request_log, usage_counters; alter table request_log detach partition request_records;
      alter table request_log attach partition request_records for values from (minvalue) to ('${day(-4)}');
      alter table usage_counters detach partition usage_minutes;
      alter table usage_counters attach partition usage_minutes for values from (minvalue) to ('${day(-401)}'); commit`);
    await postgres.query(`insert into usage_batches values ('ended', 7, now() - interval '25 hours')`);
    gateway = await startGateway({ env: { DATABASE_URL: postgres.url }, config: { tiers: ROOMY, settings: SETTINGS } });
    client = await Client.of(gateway);
    await eventually(
      () =>
        postgres.query(
          `select 1 where to_regclass('request_records') is null and to_regclass('usage_minutes') is null`,
        ),
      (gone) => gone.length === 1,
      25_000,
    );
    await insert('1 hour', 130);
    await insert('1 hour', 130, 'app_quiet');
    await client.get(locationsPath('BOS', { country_code: 'US' }), { headers: { 'x-request-id': 'newest-of-all' } });
    await eventually(
      () => rows(`application_id = 'app_demo'`),
      (left) => left === KEPT,
      25_000,
    );
    expect(await rows(`request_id = 'newest-of-all'`)).toBe(1);
    expect(await postgres.query(`select 1 from usage_batches where gateway = 'ended'`)).toEqual([]);
    // It received nothing new: it is checked once it does.
    expect(await rows(`application_id = 'app_quiet'`)).toBe(130);
  });
});

/** The date a number of UTC days from now. */
const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describeWith('initdb')('perSecond 0', () => {
  test('keeps no individual request, and still counts them all', async () => {
    const postgres = await freshDatabase();
    const gateway = await startGateway({
      env: { DATABASE_URL: postgres.url },
      config: { settings: { records: { perSecond: 0 } } },
    });
    const client = await Client.of(gateway);
    await client.get(locationsPath('BOS', { country_code: 'US' }));
    expect(await counted(postgres, 2)).toEqual({ 'getAccessToken 200': 1, 'searchLocations 200': 1 });
    const suppliers = () => postgres.query('select sum(calls)::int as calls from supplier_usage');
    expect(await eventually(suppliers, ([row]) => Number(row?.calls) > 0)).toEqual([{ calls: 4 }]);
    expect(await postgres.query('select 1 from request_log')).toEqual([]);
    client.close();
    await gateway.stop();
    await postgres.dispose();
  });
});
