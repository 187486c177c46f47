import { expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { RecordPartitions } from './record-partitions.js';

const DAY_MS = 86_400_000;
const database = migratedDatabase();
const partitions = (environment: 'sandbox' | 'production', days: number, usageDays = 7) =>
  new RecordPartitions(database(), configSchema.parse({ environment, records: { days, usageDays } }));
/** The days before `now` that request_log still covers. */
const covered = async (now: number): Promise<number> => {
  const [row] = await database().rows<{ days: number }>(sql`
    select (${now} - extract(epoch from to_date(right(min(relid::text), 8), 'YYYYMMDD')) * 1000)::float8 / ${DAY_MS} as days
    from pg_partition_tree('request_log') where isleaf`);
  return Math.floor(row?.days ?? Number.NaN);
};

it('what an environment needs is kept, until it has announced nothing for that long', async () => {
  const now = Date.now() + 60 * DAY_MS;
  await partitions('production', 20).maintain(now);
  const [requests, usage] = await partitions('sandbox', 3).maintain(now);
  expect([requests, usage]).toMatchObject([
    { table: 'request_log', busy: [], failure: undefined },
    { table: 'usage_counters', busy: [], failure: undefined },
  ]);
  expect(requests?.coveredUntil).toBeGreaterThan(now + 14 * DAY_MS);
  expect(usage?.coveredUntil).toBeGreaterThan(now + 62 * DAY_MS);
  expect(await covered(now)).toBe(20);
  await partitions('sandbox', 3).maintain(now + 19 * DAY_MS);
  expect(await covered(now)).toBe(1);
  await partitions('sandbox', 3).maintain(now + 21 * DAY_MS);
  expect(await covered(now + 21 * DAY_MS)).toBe(3);
});

it('a command keeps what gateways announced, whatever its own settings are, and what these say before the first gateway', async () => {
  await database().rows(sql`delete from record_retention`);
  const now = Date.now() + 120 * DAY_MS;
  await partitions('sandbox', 10).maintainAnnounced(now);
  expect(await covered(now)).toBe(10);
  await partitions('production', 20).maintain(now);
  for (const command of [partitions('sandbox', 30), partitions('production', 3)]) {
    await command.maintainAnnounced(now + DAY_MS);
    expect(await covered(now + DAY_MS)).toBe(20);
  }
  const announced = await database().rows(sql`select environment, request_days from record_retention`);
  expect(announced).toEqual([{ environment: 'production', request_days: 20 }]);
});

claim(
  'environments',
  "Each environment keeps its requests and counters as long as its own settings say, however long the other one's are.",
  async () => {
    await database().rows(sql`delete from record_retention`);
    await database().rows(sql`insert into accounts (id, environment, name, tier)
      values ('acc_s', 'sandbox', 'S', 'demo'), ('acc_p', 'production', 'P', 'demo')`);
    await database().rows(sql`insert into applications (id, account_id, environment, client_id, name, tier)
      values ('app_s', 'acc_s', 'sandbox', 'c_s', 'S', 'demo'), ('app_p', 'acc_p', 'production', 'c_p', 'P', 'demo')`);
    const now = Date.now() + 200 * DAY_MS;
    const [sandbox, production] = [partitions('sandbox', 30, 90), partitions('production', 3)];
    await sandbox.maintain(now);
    await production.maintain(now);
    const instant = sql`${new Date(now).toISOString()}::timestamptz - n * interval '24 hours'`;
    for (const application of ['app_s', 'app_p']) {
      await database().rows(sql`insert into request_log
        select ${application}, ${instant}, 'req_' || n, 'op', 200, 1, '{}' from generate_series(0, 20) n`);
      await database().rows(sql`insert into usage_counters (application_id, minute, operation, status, calls, duration_ms)
        select ${application}, ${instant}, 'op', 200, 1, 1 from generate_series(0, 80) n`);
    }
    const oldest = async (table: 'request_log' | 'usage_counters', column: string) => {
      const [row] = await database().rows<{ s: number; p: number }>(sql`
        select max(age) filter (where application_id = 'app_s') as s, max(age) filter (where application_id = 'app_p') as p
        from (select application_id, (${now} - extract(epoch from ${sql.identifier(column)}) * 1000)::float8 / ${DAY_MS} as age
          from ${sql.identifier(table)}) ages`);
      return row;
    };
    for (const one of [sandbox, production]) while ((await one.forgetOutlived(7)) === 7);
    const [requests, counters] = [await oldest('request_log', 'at'), await oldest('usage_counters', 'minute')];
    expect([requests?.s, counters?.s]).toEqual([20, 80]);
    // Until the end of the UTC day, and of the month.
    expect(requests?.p).toBeLessThanOrEqual(3 + 1);
    expect(counters?.p).toBeLessThan(7 + 31);
    expect(await production.forgetOutlived(7)).toBe(0);
  },
);

it('after a pause of months, every day that is kept has a partition again', async () => {
  const now = Date.now() + 300 * DAY_MS;
  await partitions('sandbox', 30).maintain(now);
  const rows = await database().rows(sql`insert into request_log
    select 'app_a', ${new Date(now).toISOString()}::timestamptz - n * interval '24 hours', 'req', 'op', 200, 1, '{}' from generate_series(-14, 30) n returning 1`);
  expect(rows).toHaveLength(45);
});
