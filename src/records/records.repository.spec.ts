import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { createPartitions } from '../database/time-partitions.js';
import { RecordsRepository } from './records.repository.js';
import type { RequestRecord } from './request-record.js';
import type { UsageRow } from './usage-counters.js';

const database = migratedDatabase();
beforeEach(async () => {
  await database().rows(sql`delete from usage_counters`);
  await database().rows(sql`delete from usage_batches`);
  await database().rows(sql`delete from request_log`);
  await withoutTriggers(database(), 'delete from reservations');
});

const SETTINGS = configSchema.parse({});
const row = (more: Partial<UsageRow> = {}): UsageRow => ({
  applicationId: 'app_a',
  minute: Math.floor(Date.now() / 60_000) - 5,
  operation: 'searchVehicles',
  status: 200,
  calls: 2,
  durationMs: 30.4,
  buckets: [],
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
  database().rows(sql`select application_id, status, calls, duration_ms::int from usage_counters order by 1, 2`);
const kept = () => database().rows<{ request_id: string }>(sql`select request_id from request_log order by at`);

describe('usage counters', () => {
  it('of several gateways and batches add up', async () => {
    const [one, other] = [new RecordsRepository(database(), SETTINGS), new RecordsRepository(database(), SETTINGS)];
    await one.addUsage({ number: 1, suppliers: [], rows: [row(), row({ status: 206, calls: 1 })] });
    await other.addUsage({ number: 1, suppliers: [], rows: [row({ calls: 5, durationMs: 100 })] });
    await one.addUsage({ number: 2, suppliers: [], rows: [row({ calls: 1, durationMs: 10 })] });
    expect(await usage()).toMatchObject([
      { status: 200, calls: 8, duration_ms: 140 },
      { status: 206, calls: 1 },
    ]);
  });

  it('count a batch once, even if it is sent again because its outcome is unknown', async () => {
    const repository = new RecordsRepository(database(), SETTINGS);
    await repository.addUsage({ number: 1, suppliers: [], rows: [row()] });
    await repository.addUsage({ number: 2, suppliers: [], rows: [row()] });
    await repository.addUsage({ number: 2, suppliers: [], rows: [row()] });
    await repository.addUsage({ number: 1, suppliers: [], rows: [row()] });
    expect(await usage()).toMatchObject([{ calls: 4 }]);
  });
});

claim(
  'personal-data',
  'Calls that a gateway still has in memory when an application or its account is deleted are not stored afterwards.',
  async () => {
    await database().rows(
      sql`insert into accounts (id, environment, name, tier) values ('acc_d', 'sandbox', 'd', 'demo')`,
    );
    await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier, state)
      values ('app_d', 'acc_d', 'd', 'client_d', 'sandbox', 'demo', 'deleted')`);
    const repository = new RecordsRepository(database(), SETTINGS);
    await repository.addUsage({ number: 1, suppliers: [], rows: [row({ applicationId: 'app_d' }), row()] });
    await repository.keep([record({ applicationId: 'app_d', requestId: 'req_d' }), record()]);
    expect([await usage(), await kept()]).toMatchObject([[{ application_id: 'app_a' }], [{ request_id: 'req_1' }]]);
  },
);

claim(
  'personal-data',
  "Calls about a reservation that a gateway still has in memory when it is erased are not stored with the caller's own X-Request-Id.",
  async () => {
    for (const [id, personal] of [
      ['res_erased', null],
      ['res_kept', 'sealed'],
    ] as const)
      await withoutTriggers(
        database(),
        `insert into reservations (id, application_id, account_id, environment, supplier, state, state_reason, state_actor, version,
          rental, view, payment, personal, sent_until, created_at, updated_at)
        values ('${id}', 'app_a', 'acc_a', 'sandbox', 'uno', 'cancelled', 'asked', 'caller', 2, '{}', '{}', '{}',
          ${personal === null ? 'null' : `'${personal}'`}, now(), now(), now())`,
      );
    const about = (reservationId: string | undefined, requestId: string) =>
      record({ operation: 'cancelReservation', reservationId, requestId });
    const own = 'req_0123456789abcdef';
    await new RecordsRepository(database(), SETTINGS).keep([
      about('res_erased', 'cancel-ada-sample'),
      about('res_erased', own),
      about('res_kept', 'cancel-another'),
      about('res_unknown', 'read-another'),
      record({ requestId: 'a-search' }),
    ]);
    const left = (await kept()).map(({ request_id }) => request_id);
    expect(left.sort()).toEqual(['a-search', 'cancel-another', 'read-another', own]);
  },
);

describe('single requests', () => {
  it('are stored once if they are written again; several with the same id, which callers choose, are all stored', async () => {
    const repository = new RecordsRepository(database(), SETTINGS);
    const at = Date.now();
    const batch = [record({ at }), record({ at: at + 1 })];
    await repository.keep(batch);
    await repository.keep([...batch, record({ at: at + 2 })]);
    expect(await kept()).toHaveLength(3);
  });

  it('beyond the newest of an application are deleted in batches, in each partition only its own', async () => {
    const repository = new RecordsRepository(database(), SETTINGS);
    const day = 86_400_000;
    const now = Date.now();
    await createPartitions(database().tables, { name: 'request_log', period: 'day' }, now, now + 30 * day);
    // In the same places of two partitions.
    await insert('app_a', now, [5, 4, 3, 2, 1]);
    await insert('app_b', now + 20 * day, [5, 4, 3, 2, 1]);
    expect([await repository.forgetBeyond('app_a', 2, 2), await repository.forgetBeyond('app_a', 2, 9)]).toEqual([
      2, 1,
    ]);
    expect(await kept()).toMatchObject(
      ['app_a-2', 'app_a-1', ...[5, 4, 3, 2, 1].map((age) => `app_b-${age}`)].map((id) => ({ request_id: id })),
    );
  });
});

it('what is older than it would be kept, or more than a day ahead of the database, is left out: the rest is stored', async () => {
  const repository = new RecordsRepository(database(), SETTINGS);
  const minute = Math.floor(Date.now() / 60_000);
  const [old, ahead] = [minute - 401 * 1_440, minute + 1_500];
  await repository.addUsage({ number: 1, suppliers: [], rows: [row({ minute: old }), row(), row({ minute: ahead })] });
  const at = (when: number, requestId: string) => record({ at: when * 60_000, requestId });
  await repository.keep([at(minute - 8 * 1_440, 'old'), at(minute, 'now'), at(ahead, 'ahead')]);
  expect([await usage(), await kept()]).toMatchObject([[{ calls: 2 }], [{ request_id: 'now' }]]);
});

const insert = (application: string, at: number, ages: readonly number[]) =>
  database().rows(sql`insert into request_log select ${application}, ${new Date(at).toISOString()}::timestamptz - age * interval '1 ms',
    ${application} || '-' || age, 'searchVehicles', 200, 1, '{}' from unnest(${`{${ages.join(',')}}`}::int[]) age`);
