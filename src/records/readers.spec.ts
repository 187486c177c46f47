import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { embeddedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { RecordsRepository } from './records.repository.js';
import { type LogCursor, type RequestFilter, RequestLog } from './request-log.js';
import type { RequestRecord } from './request-record.js';
import { UsageCounters } from './usage-counters.js';
import { UsageReader } from './usage-reader.js';

/** Yesterday at 21:20 UTC, in minutes since 1970. */
const MINUTE = Math.floor(Date.now() / 86_400_000 - 1) * 1_440 + 1_280;
const AT = MINUTE * 60_000;
const database = embeddedDatabase();
const record = (requestId: string, at: number, more: Partial<RequestRecord> = {}): RequestRecord => ({
  applicationId: 'app_a',
  at: AT + at,
  requestId,
  operation: 'searchVehicles',
  status: 200,
  durationMs: 10 + at,
  trace: { budgetMs: 5_000, calls: [], skipped: [], entries: [] },
  ...more,
});

beforeAll(async () => {
  const repository = new RecordsRepository(database(), configSchema.parse({}));
  const base = {
    applicationId: 'app_a',
    minute: MINUTE,
    operation: 'searchVehicles',
    status: 200,
    calls: 3,
    durationMs: 30,
    buckets: [],
  };
  await repository.addUsage({
    number: 1,
    suppliers: [],
    rows: [
      base,
      { ...base, minute: MINUTE + 1, calls: 1 },
      { ...base, minute: MINUTE + 15 },
      { ...base, status: 429, calls: 7 },
      { ...base, operation: 'getAccessToken', calls: 100 },
      { ...base, applicationId: 'app_b', calls: 50 },
    ],
  });
  await repository.keep([
    record('req_1', 1),
    record('req_2', 2, { status: 206 }),
    record('req_3', 2, { operation: 'searchLocations' }),
    record('req_1', 4, { status: 404 }),
    record('req_5', 5, { applicationId: 'app_b' }),
  ]);
}, 30_000);

describe('UsageReader', () => {
  it('sums calls by step, operation and status, since an instant and for the given applications only', async () => {
    const points = await new UsageReader(database()).points(['app_a'], AT, 900);
    expect(points.filter(({ operation, status }) => operation === 'searchVehicles' && status === 200)).toEqual([
      { at: AT / 1000 - ((AT / 1000) % 900), operation: 'searchVehicles', status: 200, calls: 4, durationMs: 60 },
      { at: AT / 1000 - ((AT / 1000) % 900) + 900, operation: 'searchVehicles', status: 200, calls: 3, durationMs: 30 },
    ]);
    expect(await new UsageReader(database()).points(['app_a'], AT + 60 * 60_000, 900)).toEqual([]);
    expect(await new UsageReader(database()).points([], AT, 900)).toEqual([]);
  });

  it('returns all calls by duration, added up over minutes, statuses, gateways and applications', async () => {
    const counted = (applicationId: string, status: number, later: number, ...durations: readonly number[]) => {
      const counters = new UsageCounters(100, () => undefined);
      for (const ms of durations) counters.count(applicationId, 'searchVehicles', status, AT + later * 60_000, ms);
      return counters.take(100);
    };
    const [one, other] = [0, 1].map(() => new RecordsRepository(database(), configSchema.parse({}))) as [
      RecordsRepository,
      RecordsRepository,
    ];
    await one.addUsage({ number: 1, suppliers: [], rows: counted('app_d', 200, 0, 5, 10, 11) });
    await other.addUsage({ number: 1, suppliers: [], rows: counted('app_d', 200, 0, 9_000, 1) });
    await one.addUsage({
      number: 2,
      suppliers: [],
      rows: [...counted('app_d', 206, 0, 60), ...counted('app_d', 200, 1, 60)],
    });
    await one.addUsage({ number: 3, suppliers: [], rows: counted('app_e', 200, 0, 4_000) });
    const of = async (...ids: string[]) => (await new UsageReader(database()).durations(ids, AT))[0]?.buckets;
    // Up to 10 ms: 5, 10, 1; up to 20: 11; up to 75: 60, 60; up to 4 s: 4,000; beyond: 9,000.
    expect(await of('app_d')).toEqual([3, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect((await of('app_d', 'app_e'))?.[14]).toBe(1);
    expect([await of('app_f'), await of()]).toEqual([undefined, undefined]);
  });

  it('counts neither token calls nor rejected calls against limits', async () => {
    expect(await new UsageReader(database()).limitedCalls(['app_a', 'app_c'], AT)).toEqual(new Map([['app_a', 7]]));
  });
});

/** Adds requests of an application, one each millisecond from AT + 1 on, the first with status 500; once per application. */
async function manyOf(application: string, count: number, requestId?: string): Promise<void> {
  await database().rows(sql`insert into request_log select ${application}, ${new Date(AT).toISOString()}::timestamptz
    + n * interval '1 ms', coalesce(${requestId ?? null}, 'many-' || n), 'searchVehicles', case n when 1 then 500 else 200 end, n, '{}'
    from generate_series(1, ${count}::int) n where not exists (select from request_log where application_id = ${application})`);
}

/** The rows of all partitions of request_log that this connection has read so far. */
async function rowsRead(): Promise<number> {
  await database().rows(sql`select pg_stat_force_next_flush()`);
  const [row] = await database().rows<{
    count: string;
  }>(sql`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as count
    from pg_stat_user_tables where relid in (select relid from pg_partition_tree('request_log'))`);
  return Number(row?.count);
}

describe('RequestLog', () => {
  const ids = async (...args: Parameters<RequestLog['list']>): Promise<string[]> =>
    (await new RequestLog(database()).list(...args)).requests.map(({ requestId, at }) => `${requestId} ${at - AT}`);

  it('lists the newest first and continues after a cursor, without losing or repeating requests of the same instant', async () => {
    expect(await ids(['app_a'], {}, undefined, 9)).toEqual(['req_1 4', 'req_3 2', 'req_2 2', 'req_1 1']);
    expect(await ids(['app_a'], {}, { at: AT + 2, requestId: 'req_3' }, 9)).toEqual(['req_2 2', 'req_1 1']);
  });

  it.each([
    [{ requestId: 'req_1' }, ['req_1 4', 'req_1 1']],
    [{ status: [206, 206] }, ['req_2 2']],
    [{ status: [400, 499] }, ['req_1 4']],
    [{ operation: 'searchLocations' }, ['req_3 2']],
    [{ from: AT + 2, to: AT + 4 }, ['req_3 2', 'req_2 2']],
  ] as const)('filters by %j', async (filter, expected) => {
    expect(await ids(['app_a'], filter, undefined, 9)).toEqual(expected);
  });

  it.each([9e14, 8.64e15, 1e300, 253_402_300_800_000])('takes %d for a time after all requests', async (at) => {
    const all = ['req_1 4', 'req_3 2', 'req_2 2', 'req_1 1'];
    expect(await ids(['app_a'], {}, { at, requestId: 'x' }, 9)).toEqual(all);
    expect(await ids(['app_a'], { to: at }, undefined, 9)).toEqual(all);
    expect(await ids(['app_a'], { from: at }, undefined, 9)).toEqual([]);
  });

  it('returns the traces of partial and failed requests only, which name what failed', async () => {
    const { requests } = await new RequestLog(database()).list(['app_a'], {}, undefined, 9);
    expect(requests.map(({ status, trace }) => [status, trace !== undefined])).toEqual([
      [404, true],
      [200, false],
      [206, true],
      [200, false],
    ]);
  });

  it('searches 5,000 requests per page, says so, and goes on from there', async () => {
    await manyOf('app_long_a', 8_000);
    await manyOf('app_long_b', 4_000);
    const log = new RequestLog(database());
    const list = (after?: LogCursor) => log.list(['app_long_a', 'app_long_b'], { status: [500, 599] }, after, 2);
    const first = await list();
    expect(first).toMatchObject({ requests: [], isCut: true });
    const second = await list(first.next);
    expect(second).toMatchObject({ requests: [], isCut: true });
    const third = await list(second.next);
    expect(third).toMatchObject({ requests: [{ at: AT + 1 }, { at: AT + 1 }], next: undefined, isCut: false });
    expect((await log.list(['app_long_a'], {}, undefined, 2)).isCut).toBe(false);
  });

  it('parses the traces of 1,000 requests per page, and finds the mark of a reservation without parsing', async () => {
    await manyOf('app_parsed', 4_000);
    const trace = { reservation: 'mark_a', calls: [{ supplier: 'alpine' }], entries: [] };
    await database().rows(sql`update request_log set trace = ${JSON.stringify(trace)}::json
      where application_id = 'app_parsed' and request_id in ('many-2', 'many-2500')`);
    const log = new RequestLog(database());
    const list = (filter: RequestFilter, after?: LogCursor) => log.list(['app_parsed'], filter, after, 5);
    const first = await list({ supplier: 'alpine' });
    expect(first).toMatchObject({ requests: [], isCut: true, most: 1_000, next: { at: AT + 3_001 } });
    expect((await list({ supplier: 'alpine' }, first.next)).requests).toMatchObject([{ at: AT + 2_500 }]);
    const marked = await list({ reservation: 'mark_a' });
    expect(marked).toMatchObject({ requests: [{ at: AT + 2_500 }, { at: AT + 2 }], isCut: false, most: 5_000 });
    expect((await list({ reservation: ['mark_b', 'mark_a'] })).requests).toEqual(marked.requests);
    expect((await list({ reservation: 'mark' })).requests).toEqual([]);
    // What a caller sent is only ever inside of a value.
    const scenario = '"reservation":"mark_b"';
    await database().rows(sql`update request_log set trace = ${JSON.stringify({ ...trace, scenario })}::json
      where application_id = 'app_parsed' and request_id = 'many-2500'`);
    expect((await list({ reservation: 'mark_b' })).requests).toEqual([]);
  });

  it.each([
    [
      'a filter that fits nothing',
      (log: RequestLog, ids: string[]) => log.list(ids, { status: [418, 418] }, undefined, 9),
    ],
    ['a later page', (log: RequestLog, ids: string[]) => log.list(ids, {}, { at: AT + 15_000, requestId: 'x' }, 9)],
    ['an id that all requests have', (log: RequestLog, ids: string[]) => log.find(ids, 'same')],
  ])('reads as many rows as it searches, however many an account or others have: %s', async (_, read) => {
    await manyOf('app_much_a', 20_000, 'same');
    await manyOf('app_much_b', 20_000, 'same');
    await manyOf('app_others', 20_000, 'same');
    const before = await rowsRead();
    await read(new RequestLog(database()), ['app_much_a', 'app_much_b']);
    expect((await rowsRead()) - before).toBeLessThan(6_000);
  });

  it('never returns requests of other applications', async () => {
    expect(await new RequestLog(database()).find(['app_a'], 'req_5')).toEqual([]);
    expect(await new RequestLog(database()).find(['app_b'], 'req_5')).toHaveLength(1);
    expect(await new RequestLog(database()).find([], 'req_5')).toEqual([]);
  });
});
