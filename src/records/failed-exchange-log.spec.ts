import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { type FailedExchange, FailedExchangeQueue } from '../metrics/failed-exchanges.js';
import { FailedExchangeLog } from './failed-exchange-log.js';

const database = migratedDatabase('failed_exchanges');
const log = (environment: 'sandbox' | 'production' = 'sandbox') => new FailedExchangeLog(database(), { environment });
const failure = (more: Partial<FailedExchange> & { readonly received?: string } = {}): FailedExchange => {
  const { received = '{"a":1}', ...rest } = more;
  return {
    ...{ at: Date.now(), supplier: 'bravo', operation: 'searchVehicles', cause: 'http_5xx', requestId: 'req_1' },
    ...{ why: 'HTTP 503', durationMs: 12.4 },
    exchanges: [{ method: 'GET', path: '/x', sent: '', status: 503, contentType: 'application/json', received }],
    ...rest,
  };
};

describe('failed exchanges', () => {
  it('are found by supplier, operation and request, in their environment only', async () => {
    await log().keep([failure(), failure({ supplier: 'alpine', requestId: 'req_2' }), failure({ operation: 'book' })]);
    await log('production').keep([failure({ requestId: 'req_live' })]);
    const ids = async (filter: Parameters<FailedExchangeLog['list']>[0]) =>
      (await log().list(filter, 10)).map(({ supplier, operation }) => `${supplier} ${operation}`);
    expect(await ids({})).toHaveLength(3);
    expect(await ids({ supplier: 'bravo' })).toHaveLength(2);
    expect(await ids({ supplier: 'bravo', operation: 'book' })).toEqual(['bravo book']);
    expect(await ids({ requestId: 'req_2' })).toEqual(['alpine searchVehicles']);
    expect(await ids({ requestId: 'req_live' })).toEqual([]);
    const [first] = await log().list({ operation: 'book' }, 1);
    expect(await log().find(first?.id ?? 0)).toMatchObject({ why: 'HTTP 503', exchanges: failure().exchanges });
    expect(await log('production').find(first?.id ?? 0)).toBeUndefined();
  });

  it('are bounded per supplier and operation: the newest 50, 1 MiB, and a day', async () => {
    await log().keep([failure({ operation: 'book' })]);
    await log().keep(Array.from({ length: 80 }, (_, number) => failure({ requestId: `req_${number}` })));
    const kept = await log().list({ operation: 'searchVehicles' }, 200);
    expect([kept.length, kept[0]?.requestId]).toEqual([50, 'req_79']);
    expect(await log().list({ operation: 'book' }, 9)).toHaveLength(1);
    for (let number = 0; number < 4; number += 1) await log().keep([failure({ received: 'x'.repeat(400_000) })]);
    expect(await log().list({ operation: 'searchVehicles' }, 200)).toHaveLength(2);
    await database().rows(sql`update failed_exchanges set at = now() - interval '25 hours' where operation = 'book'`);
    await log().forget();
    expect(await log().list({ operation: 'book' }, 9)).toEqual([]);
  });

  it('may contain what PostgreSQL cannot store', async () => {
    await log().keep([failure({ requestId: 'a\0b', received: 'x\0y \\u0000 \ud83d' })]);
    expect(await log().list({ requestId: 'ab' }, 1)).toHaveLength(1);
  });
});

it('of a failure that repeats, one per kind is kept every three seconds, and 200 wait at most', () => {
  let now = 0;
  const queue = new FailedExchangeQueue(() => now);
  const wants = (cause: string) => queue.wants('bravo', 'book', cause);
  expect([wants('timeout'), wants('timeout'), wants('tls')]).toEqual([true, false, true]);
  now = 3_000;
  expect([wants('timeout'), queue.wants('alpine', 'book', 'timeout')]).toEqual([true, true]);
  for (let number = 0; number < 200; number += 1) queue.put(failure());
  expect(wants('auth')).toBe(false);
  expect([queue.take().length, queue.take().length]).toEqual([200, 0]);
});
