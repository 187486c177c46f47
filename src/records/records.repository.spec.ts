import { rmSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedFolder } from '../../test/support/migrated-folder.js';
import { type Database, openDatabase } from '../database/database.js';
import { RecordsRepository } from './records.repository.js';
import type { RequestRecord } from './request-record.js';
import type { UsageRow } from './usage-counters.js';

let folder: string;
let database: Database;
beforeAll(async () => {
  folder = await migratedFolder();
  database = await openDatabase(undefined, folder);
}, 30_000);
beforeEach(async () => {
  await database.rows(sql`delete from usage_minutes`);
  await database.rows(sql`delete from usage_batches`);
  await database.rows(sql`delete from request_records`);
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const row = (more: Partial<UsageRow> = {}): UsageRow => ({
  applicationId: 'app_a',
  minute: 29_000_000,
  operation: 'searchVehicles',
  status: 200,
  calls: 2,
  durationMs: 30.4,
  ...more,
});
const record = (more: Partial<RequestRecord> = {}): RequestRecord => ({
  applicationId: 'app_a',
  at: Date.now(),
  requestId: 'req_1',
  operation: 'searchVehicles',
  status: 200,
  durationMs: 12,
  trace: { budgetMs: 5_000, calls: [], skipped: [], entries: [] },
  ...more,
});
const usage = () =>
  database.rows(sql`select application_id, status, calls, duration_ms from usage_minutes order by 1, 2`);
const kept = () => database.rows<{ request_id: string }>(sql`select request_id from request_records order by at`);

describe('usage counters', () => {
  it('of several gateways and batches add up', async () => {
    const [one, other] = [
      new RecordsRepository(database, { environment: 'sandbox' }),
      new RecordsRepository(database, { environment: 'sandbox' }),
    ];
    await one.addUsage({ number: 1, rows: [row(), row({ status: 206, calls: 1 })] });
    await other.addUsage({ number: 1, rows: [row({ calls: 5, durationMs: 100 })] });
    await one.addUsage({ number: 2, rows: [row({ calls: 1, durationMs: 10 })] });
    expect(await usage()).toMatchObject([
      { status: 200, calls: 8, duration_ms: 140 },
      { status: 206, calls: 1 },
    ]);
  });

  it('count a batch once, even if it is sent again because its outcome is unknown', async () => {
    const repository = new RecordsRepository(database, { environment: 'sandbox' });
    await repository.addUsage({ number: 1, rows: [row()] });
    await repository.addUsage({ number: 2, rows: [row()] });
    await repository.addUsage({ number: 2, rows: [row()] });
    await repository.addUsage({ number: 1, rows: [row()] });
    expect(await usage()).toMatchObject([{ calls: 4 }]);
  });
});

claim(
  'personal-data',
  'Calls that a gateway still has in memory when an application or its account is deleted are not stored afterwards.',
  async () => {
    await database.rows(
      sql`insert into accounts (id, environment, name, tier) values ('acc_d', 'sandbox', 'd', 'demo')`,
    );
    await database.rows(sql`insert into applications (id, account_id, name, client_id, environment, tier, state)
      values ('app_d', 'acc_d', 'd', 'client_d', 'sandbox', 'demo', 'deleted')`);
    const repository = new RecordsRepository(database, { environment: 'sandbox' });
    await repository.addUsage({ number: 1, rows: [row({ applicationId: 'app_d' }), row()] });
    await repository.keep([record({ applicationId: 'app_d', requestId: 'req_d' }), record()]);
    expect([await usage(), await kept()]).toMatchObject([[{ application_id: 'app_a' }], [{ request_id: 'req_1' }]]);
  },
);

describe('single requests', () => {
  it('are stored once if they are written again; several with the same id, which callers choose, are all stored', async () => {
    const repository = new RecordsRepository(database, { environment: 'sandbox' });
    const at = Date.now();
    const batch = [record({ at }), record({ at: at + 1 })];
    await repository.keep(batch);
    await repository.keep([...batch, record({ at: at + 2 })]);
    expect(await kept()).toHaveLength(3);
  });

  it('and counters of the other environment are not deleted: its gateways keep them as long as they are set to', async () => {
    await database.rows(
      sql`insert into accounts (id, environment, name, tier) values ('acc_p', 'production', 'p', 'demo')`,
    );
    await database.rows(sql`insert into applications (id, account_id, name, client_id, environment, tier)
      values ('app_p', 'acc_p', 'p', 'client_p', 'production', 'demo')`);
    const [sandbox, production] = [
      new RecordsRepository(database, { environment: 'sandbox' }),
      new RecordsRepository(database, { environment: 'production' }),
    ];
    await production.keep([record({ applicationId: 'app_p', at: Date.now() - 1_000 })]);
    await production.addUsage({ number: 1, rows: [row({ applicationId: 'app_p' })] });
    const now = Date.now();
    expect([await sandbox.forgetBefore(now, 9), await sandbox.forgetUsageBefore(now, 9)]).toEqual([0, 0]);
    expect([await production.forgetBefore(now, 9), await production.forgetUsageBefore(now, 9)]).toEqual([1, 1]);
  });

  it('are deleted in batches, by age and beyond the newest of an application', async () => {
    const repository = new RecordsRepository(database, { environment: 'sandbox' });
    const now = Date.now();
    const of = (applicationId: string, age: number) =>
      record({ applicationId, at: now - age, requestId: `${applicationId}-${age}` });
    await repository.keep([1, 2, 3, 4, 5].flatMap((age) => [of('app_a', age), of('app_b', age)]));
    expect([await repository.forgetBefore(now - 3, 3), await repository.forgetBefore(now - 3, 3)]).toEqual([3, 1]);
    expect([await repository.forgetBeyond('app_a', 1, 1), await repository.forgetBeyond('app_a', 1, 9)]).toEqual([
      1, 1,
    ]);
    expect((await kept()).map(({ request_id }) => request_id).sort()).toEqual([
      'app_a-1',
      'app_b-1',
      'app_b-2',
      'app_b-3',
    ]);
  });
});
