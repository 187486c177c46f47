import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { CountStorage } from './count-storage.js';

const database = migratedDatabase('service_counts', 'account_counts', 'usage_batches');
const MINUTE = Math.floor(Date.now() / 60_000);
const today = (): number => new Date().setUTCHours(0, 0, 0, 0);
const row = (calls: number, failed: number, minute = MINUTE, account = '') => ({
  ...{ part: 'api', operation: 'search', minute },
  ...{ account, calls, failed },
});
const sandbox = () => new CountStorage(database(), 'sandbox');

it('adds the counts of several gateways up, by minute and by day', async () => {
  const [one, other] = [sandbox(), sandbox()];
  await one.add({ number: 1, rows: [row(5, 1), row(2, 0)] });
  await other.add({ number: 1, rows: [row(3, 3)] });
  await one.add({ number: 2, rows: [row(1, 0)] });
  const sum = { part: 'api', operation: 'search', calls: 11, failed: 4 };
  expect(await one.minutes(0)).toEqual([{ ...sum, at: MINUTE * 60_000 }]);
  expect(await one.days()).toMatchObject([sum]);
  expect(await new CountStorage(database(), 'production').days()).toEqual([]);
});

it('counts a batch once that is sent twice because its first answer was lost', async () => {
  const storage = sandbox();
  const batch = { number: 1, rows: [row(5, 1)] };
  await storage.add(batch);
  await storage.add(batch);
  expect(await storage.days()).toMatchObject([{ calls: 5, failed: 1 }]);
});

it('keeps minutes for two hours and days for 90, today included', async () => {
  const storage = sandbox();
  const minutesAgo = (minutes: number) => row(1, 0, MINUTE - minutes);
  await storage.add({ number: 1, rows: [0, 117, 123, 89 * 1_440, 91 * 1_440].map(minutesAgo) });
  await storage.tidy();
  expect((await storage.minutes(0)).length).toBe(2);
  const days = (await storage.days()).map(({ at }) => (today() - at) / 86_400_000);
  expect(days.filter((day) => day > 1)).toEqual([89]);
  expect(await database().rows(sql`select 1 from service_counts where at < now() - interval '91 days'`)).toEqual([]);
});

it('keeps the accounts of a minute for three minutes, and then what counts of their calls', async () => {
  const storage = sandbox();
  const old = MINUTE - 7;
  const rows = [row(20, 20, old, 'acc_a'), row(4, 0, old, 'acc_b'), row(20, 20, MINUTE, 'acc_a')];
  await storage.add({ number: 1, rows: [...rows, row(4, 0, MINUTE, 'acc_b')] });
  const [minutes, days] = [await storage.minutes(0), await storage.days()];
  await storage.tidy();
  await storage.tidy();
  expect(await storage.minutes(0)).toEqual(minutes);
  expect(await storage.days()).toEqual(days);
  expect(minutes.map(({ at, calls, failed }) => [at / 60_000, calls, failed])).toEqual([
    [old, 5, 1],
    [MINUTE, 5, 1],
  ]);
  expect(await database().rows(sql`select calls::int from account_counts order by account`)).toEqual([
    { calls: 20 },
    { calls: 4 },
  ]);
  expect(await database().rows(sql`select sum(calls)::int as calls from service_counts where span = 'minute'`)).toEqual(
    [{ calls: 5 }],
  );
});

it('adds what gateways of the previous version have counted', async () => {
  await database().rows(sql`insert into service_counts (environment, span, at, part, operation, calls, failed)
    select 'sandbox', span, to_timestamp(${MINUTE * 60}), 'api', 'search', 5, 2 from unnest(array['minute', 'day']) as span`);
  await sandbox().add({ number: 1, rows: [row(3, 1)] });
  expect([await sandbox().minutes(0), await sandbox().days()]).toMatchObject([
    [{ calls: 8, failed: 3 }],
    [{ calls: 8, failed: 3 }],
  ]);
});

/** Calls of an account through a gateway. */
type Calls = readonly (readonly [account: string, good: number, bad: number, gateway?: 0 | 1])[];

describe('of the calls in one minute', () => {
  it.each<[string, Calls, { calls: number; failed: number }]>([
    [
      'one failure of an account counts, if no other one had any',
      [
        ['a', 3, 20],
        ['b', 4, 0],
      ],
      { calls: 8, failed: 1 },
    ],
    [
      'one failure of an account counts, if the others are served by another gateway',
      [
        ['a', 3, 20, 0],
        ['b', 4, 0, 1],
      ],
      { calls: 8, failed: 1 },
    ],
    [
      'one failure of an account that uses all gateways counts',
      [
        ['a', 0, 20, 0],
        ['a', 0, 20, 1],
        ['b', 4, 0, 1],
      ],
      { calls: 5, failed: 1 },
    ],
    [
      'failures confirm each other, if they happened on different gateways',
      [
        ['a', 0, 20, 0],
        ['b', 0, 20, 1],
        ['c', 1, 0, 1],
      ],
      { calls: 41, failed: 27 },
    ],
    [
      'one failure of an account more than all others had counts',
      [
        ['a', 0, 20],
        ['b', 0, 5],
        ['c', 3, 0],
      ],
      { calls: 14, failed: 9 },
    ],
    [
      'failures of two accounts count no more than their share of the accounts, however often they call',
      [['a', 0, 500], ['b', 0, 500], ...[1, 2, 3, 4, 5].map((index) => [`c${index}`, 2, 0] as const)],
      { calls: 1_010, failed: 289 },
    ],
    [
      'all failures of an account count, if ten calls of others have the same share of them',
      [
        ['a', 60, 40],
        ['b', 6, 4],
      ],
      { calls: 110, failed: 44 },
    ],
    [
      'failures of an account count up to the share of those of others',
      [
        ['a', 60, 90],
        ['b', 8, 2],
      ],
      { calls: 85, failed: 17 },
    ],
    [
      'a few calls of others confirm no share of failures',
      [
        ['a', 60, 40],
        ['b', 3, 2],
      ],
      { calls: 68, failed: 5 },
    ],
    [
      'all failures count, if no other account was served',
      [
        ['a', 0, 300],
        ['b', 0, 2],
      ],
      { calls: 302, failed: 302 },
    ],
    ['all failures count, if an account called alone', [['a', 3, 20]], { calls: 23, failed: 20 }],
    [
      'all failures count, if no other call has an account',
      [
        ['a', 3, 20],
        ['', 4, 0],
      ],
      { calls: 27, failed: 20 },
    ],
    [
      'failures of no account confirm others, and all count',
      [
        ['a', 0, 20],
        ['b', 4, 0],
        ['', 0, 9],
      ],
      { calls: 23, failed: 16 },
    ],
  ])('%s', async (_case, calls, expected) => {
    const gateways = [sandbox(), sandbox()];
    for (const [index, gateway] of gateways.entries())
      await gateway.add({
        number: 1,
        rows: calls
          .filter(([, , , at = 0]) => at === index)
          .map(([account, good, bad]) => row(good + bad, bad, MINUTE, account)),
      });
    expect(await sandbox().minutes(0)).toMatchObject([expected]);
  });
});
