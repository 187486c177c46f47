import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { SupplierTallies } from '../metrics/supplier-tallies.js';
import { SupplierTallyRepository } from './supplier-tally.repository.js';
import { SupplierTimeline } from './supplier-timeline.js';

const MINUTE_MS = 60_000;
const NOW = Math.floor(Date.now() / 600_000) * 600_000;
const database = migratedDatabase('supplier_calls', 'supplier_failures', 'supplier_measures');
const repository = (environment: 'sandbox' | 'production' = 'sandbox') =>
  new SupplierTallyRepository(database(), configSchema.parse({ environment }));
const timeline = () => new SupplierTimeline(database(), configSchema.parse({}));

function counted(at = NOW) {
  const tallies = new SupplierTallies();
  const of = { supplier: 'bravo', operation: 'searchVehicles', application: 'app_demo' };
  for (const ms of [5, 5, 90]) tallies.call(of, 'answered', false, at, ms);
  tallies.call(of, 'http_5xx', true, at, 40);
  tallies.call({ ...of, supplier: 'alpine' }, 'timeout', true, at + MINUTE_MS, 4_100);
  tallies.measure('bravo', 'price_level', 9, at);
  return { ...tallies.take(), number: 1 };
}

describe('counts of calls to suppliers', () => {
  it('are added up over gateways, and a batch that is sent again counts once', async () => {
    const [one, other] = [repository(), repository()];
    for (const gateway of [one, one, other]) await gateway.add(counted());
    await repository('production').add(counted());
    const points = await timeline().points(NOW, 60);
    expect(points.filter(({ supplier }) => supplier === 'bravo')).toEqual([
      { supplier: 'bravo', operation: 'searchVehicles', cause: 'answered', at: NOW, calls: 6 },
      { supplier: 'bravo', operation: 'searchVehicles', cause: 'http_5xx', at: NOW, calls: 2 },
    ]);
    expect(await timeline().measures(NOW, NOW)).toEqual([
      { supplier: 'bravo', measure: 'price_level', at: NOW, count: 2, sum: 18 },
    ]);
  });

  it.each([
    ['Ada Sample', 'First application (Ada Sample)'],
    ['First application', 'First application'],
  ])('of an application of %s name it %s: many have the same name', async (owner, name) => {
    await withoutTriggers(
      database(),
      `insert into accounts (id, environment, name, tier) values ('acc_demo', 'sandbox', '${owner}', 'demo')
        on conflict (id) do update set name = excluded.name`,
      `insert into applications (id, account_id, name, client_id, environment, tier)
        values ('app_demo', 'acc_demo', 'First application', 'client_demo', 'sandbox', 'demo') on conflict do nothing`,
    );
    await repository().add(counted());
    expect((await timeline().applications('bravo', NOW)).map((row) => row.name)).toEqual([name, name]);
  });

  it('of the gateways themselves are read apart', async () => {
    const tallies = new SupplierTallies();
    tallies.answer(NOW, 90);
    await repository().add({ ...tallies.take(), number: 1 });
    expect(await timeline().answers(NOW)).toMatchObject([{ at: NOW, bucket: 5, calls: 1 }]);
    expect([await timeline().points(NOW, 60), await timeline().durations(NOW, NOW)]).toEqual([[], []]);
  });

  it('have steps, buckets of durations, and the applications with what their calls ended with', async () => {
    await repository().add(counted());
    expect((await timeline().points(NOW, 600)).map(({ supplier, at, calls }) => [supplier, at, calls])).toEqual(
      expect.arrayContaining([
        ['bravo', NOW, 3],
        ['alpine', NOW, 1],
      ]),
    );
    expect(await timeline().points(NOW + MINUTE_MS, 60)).toMatchObject([{ supplier: 'alpine', cause: 'timeout' }]);
    const durations = await timeline().durations(NOW, NOW, 'bravo');
    expect(durations.filter(({ cause }) => cause === 'answered').map(({ bucket, calls }) => [bucket, calls])).toEqual(
      expect.arrayContaining([
        [0, 2],
        [5, 1],
      ]),
    );
    const before = await timeline().durations(NOW, NOW + MINUTE_MS, 'bravo');
    expect(before.every(({ at }) => at === null)).toBe(true);
    const of = { applicationId: 'app_demo', operation: 'searchVehicles', lastAt: NOW };
    expect(await timeline().applications('bravo', NOW)).toMatchObject([
      { ...of, cause: 'http_5xx', calls: 1 },
      { ...of, cause: 'answered', calls: 3 },
    ]);
  });

  it('of applications are those since a minute, empty answers apart', async () => {
    const tallies = new SupplierTallies();
    const of = { supplier: 'bravo', operation: 'searchVehicles', application: 'app_demo' };
    for (const minute of [1, 2, 3]) tallies.call(of, 'empty', false, NOW + minute * MINUTE_MS, 5);
    tallies.call(of, 'answered', false, NOW + 2 * MINUTE_MS, 5);
    await repository().add({ ...tallies.take(), number: 1 });
    const found = await timeline().applications('bravo', NOW + 2.5 * MINUTE_MS);
    expect(found.map(({ cause, calls }) => [cause, calls])).toEqual([
      ['empty', 2],
      ['answered', 1],
    ]);
  });

  it('are forgotten after eight days, and those of applications after two', async () => {
    await repository().add(counted(NOW - 3 * 86_400_000));
    const old = { ...counted(NOW - 9 * 86_400_000) };
    await repository().add(old);
    await repository().forget(100);
    const count = async (table: string) => (await database().rows(sql`select 1 from ${sql.identifier(table)}`)).length;
    expect([await count('supplier_calls'), await count('supplier_failures'), await count('supplier_measures')]).toEqual(
      [4, 0, 1],
    );
  });
});
