import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { createPartitions } from '../database/time-partitions.js';
import { CALLER_LEFT, type EndedRequest } from '../http/request-recorder.js';
import { RequestTrace, type TracedCall } from '../metrics/request-trace.js';
import { RecordsRepository } from './records.repository.js';
import { SupplierUsageCounters, type SupplierUsageRow } from './supplier-usage-counters.js';
import { SupplierUsageReader } from './supplier-usage-reader.js';

const SLOT_MS = 300_000;
/** The start of a slot some hours ago. */
const AT = Math.floor(Date.now() / SLOT_MS - 100) * SLOT_MS;

type Call = Partial<TracedCall> & Pick<TracedCall, 'supplier'>;

function ended(calls: readonly Call[], more: Partial<EndedRequest> = {}): EndedRequest {
  const trace = new RequestTrace();
  for (const call of calls)
    Object.assign(
      trace.begin({
        ...{ brand: undefined, operation: 'searchVehicles', timeoutMs: 500, startedAt: 1_000, exchanges: [] },
        ...{ warnings: { list: [] }, shared: false },
        ...call,
      }),
      { outcome: 'answered', endedAt: 1_040, ...call },
    );
  return {
    ...{ applicationId: 'app_a', accountId: 'acc_a', requestId: 'req_1', method: 'GET', route: '/', status: 200 },
    ...{ at: AT, startedAt: 1_000, durationMs: 70, budgetMs: 500, version: 'v1', scenario: undefined, isReplay: false },
    ...{ sent: undefined, isExpired: false },
    trace,
    ...more,
  };
}

function counted(...requests: readonly EndedRequest[]): readonly SupplierUsageRow[] {
  const counters = new SupplierUsageCounters(100, () => undefined);
  for (const request of requests) counters.count(request);
  return counters.take(100);
}

const inWords = (rows: readonly SupplierUsageRow[]) =>
  rows.map(({ supplier, operation, cause, calls }) => `${supplier} ${operation} ${cause} ${calls}`);

describe('calls to suppliers', () => {
  it('are counted by outcome: empty answers apart from others, failures by cause', () => {
    const rows = counted(
      ended([
        { supplier: 'a', items: 7 },
        { supplier: 'b', outcome: 'empty' },
      ]),
      ended([
        { supplier: 'a', items: 3 },
        { supplier: 'b', outcome: 'failed', cause: 'circuit_open' },
      ]),
      ended([{ supplier: 'b', operation: 'priceCheck', outcome: 'failed', cause: 'sold_out' }]),
    );
    expect(inWords(rows)).toEqual([
      'a searchVehicles answered 2',
      'b searchVehicles empty 1',
      'b searchVehicles circuit_open 1',
      'b priceCheck sold_out 1',
    ]);
    expect(rows[0]).toMatchObject({ offers: 10, buckets: [0, 0, 0, 2, ...new Array<number>(13).fill(0)] });
  });

  it('that the response did not wait for timed out, unless the client disconnected', () => {
    const open: Call = { supplier: 'a', outcome: 'open', endedAt: undefined };
    const rows = counted(ended([open]), ended([open], { status: CALLER_LEFT }));
    expect(inWords(rows)).toEqual(['a searchVehicles timeout 1', 'a searchVehicles client_left 1']);
    // 70 ms; how long the other one would have taken is unknown.
    expect(rows.map(({ buckets }) => buckets.indexOf(1))).toEqual([4, -1]);
  });

  it('that were answered from memory have no duration', () => {
    const [row] = counted(ended([{ supplier: 'a', ageSeconds: 30, endedAt: 1_000 }, { supplier: 'a' }]));
    expect(row).toMatchObject({ calls: 2, remembered: 1 });
    expect(row?.buckets.reduce((sum, calls) => sum + calls, 0)).toBe(1);
  });

  it('are counted by application and slot of five minutes', () => {
    const call = [{ supplier: 'a' }];
    const rows = counted(ended(call), ended(call, { at: AT + SLOT_MS - 1 }), ended(call, { at: AT + SLOT_MS }));
    expect(rows.map(({ slot, calls }) => [(slot * 60_000 - AT) / SLOT_MS, calls])).toEqual([
      [0, 2],
      [1, 1],
    ]);
    expect(counted(ended(call), ended(call, { applicationId: 'app_b' }))).toHaveLength(2);
  });

  it('count cheapest offers and changed prices', () => {
    const search = ended([{ supplier: 'a' }, { supplier: 'b' }]);
    search.trace?.setCheapest(['b']);
    const check = ended([{ supplier: 'a', operation: 'priceCheck' }]);
    for (const changeBasisPoints of [0, 350, -50]) check.trace?.prices.push({ supplier: 'a', changeBasisPoints });
    const rows = counted(search, check);
    expect(rows.map(({ cheapest }) => cheapest)).toEqual([0, 1, 0]);
    expect(rows[2]).toMatchObject({ calls: 1, compared: 3, changed: 2, changeBasisPoints: 300 });
  });

  it('wait in a bounded number of rows: the oldest is dropped, and its calls are reported', () => {
    const lost: number[] = [];
    const counters = new SupplierUsageCounters(2, (calls) => lost.push(calls));
    for (const supplier of ['a', 'a', 'b', 'c']) counters.count(ended([{ supplier }]));
    expect([lost, inWords(counters.take(9))]).toEqual([
      [2],
      ['b searchVehicles answered 1', 'c searchVehicles answered 1'],
    ]);
  });
});

describe('the stored counters of calls to suppliers', () => {
  const database = migratedDatabase();
  beforeAll(async () => {
    await createPartitions(database().tables, { name: 'supplier_usage', period: 'month' }, AT - 86_400_000, Date.now());
  }, 30_000);
  beforeEach(() => database().rows(sql`delete from supplier_usage`));

  const write = async (repository: RecordsRepository, number: number, ...requests: readonly EndedRequest[]) =>
    await repository.addUsage({ number, rows: [], suppliers: counted(...requests) });
  const read = async (ids: readonly string[] = ['app_a']) =>
    await new SupplierUsageReader(database()).read(ids, { before: AT - SLOT_MS, from: AT, to: AT + SLOT_MS });

  it('of several gateways and batches add up, and a batch that is sent again counts once', async () => {
    const settings = configSchema.parse({});
    const [one, other] = [new RecordsRepository(database(), settings), new RecordsRepository(database(), settings)];
    const search = ended([{ supplier: 'a', items: 5 }]);
    await write(one, 1, search, search);
    await write(other, 1, search);
    await write(one, 2, search);
    await write(one, 2, search);
    expect(await read()).toMatchObject([{ supplier: 'a', cause: 'answered', calls: 4, offers: 20, isCurrent: true }]);
    expect((await read())[0]?.buckets[3]).toBe(4);
  });

  it('are read for the given applications, and apart for the period before', async () => {
    const repository = new RecordsRepository(database(), configSchema.parse({}));
    const call = [{ supplier: 'a' }];
    await write(
      repository,
      1,
      ...[ended(call), ended(call, { at: AT - 1 }), ended(call, { at: AT - 2 }), ended(call, { at: AT + SLOT_MS })],
      ...[ended(call, { at: AT - SLOT_MS - 1 }), ended(call, { applicationId: 'app_b' })],
    );
    const rows = await read();
    expect(rows.map(({ isCurrent, calls }) => [isCurrent, calls]).sort()).toEqual([
      [false, 2],
      [true, 1],
    ]);
    expect(await read([])).toEqual([]);
  });

  it('of a deleted application, or older than what is kept, are left out', async () => {
    const repository = new RecordsRepository(database(), configSchema.parse({}));
    await database().rows(
      sql`insert into accounts (id, environment, name, tier) values ('acc_x', 'sandbox', 'x', 'demo')`,
    );
    await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier, state)
      values ('app_gone', 'acc_x', 'x', 'x', 'sandbox', 'demo', 'deleted')`);
    await write(
      repository,
      1,
      ended([{ supplier: 'a' }], { applicationId: 'app_gone' }),
      ended([{ supplier: 'a' }], { at: Date.now() - 500 * 86_400_000 }),
    );
    expect(await database().rows(sql`select calls from supplier_usage`)).toEqual([]);
  });
});
