import { describe, expect, it } from '@jest/globals';
import { ServiceCounts } from './service-counts.js';

const MINUTE = 60_000;

it('adds up calls by minute, part and operation, and hands them over once', () => {
  const counts = new ServiceCounts();
  counts.count('api', 'search', false, undefined, MINUTE);
  counts.count('api', 'search', true, undefined, 2 * MINUTE - 1);
  counts.count('api', 'token', false, undefined, 2 * MINUTE - 1);
  counts.count('supplier:uno', 'search', false, undefined, 2 * MINUTE);
  expect(counts.take()).toEqual([
    { part: 'api', operation: 'search', minute: 1, calls: 2, failed: 1 },
    { part: 'api', operation: 'token', minute: 1, calls: 1, failed: 0 },
    { part: 'supplier:uno', operation: 'search', minute: 2, calls: 1, failed: 0 },
  ]);
  expect(counts.take()).toEqual([]);
  counts.count('api', 'search', true, undefined, 2 * MINUTE + 1);
  expect(counts.take()).toEqual([{ part: 'api', operation: 'search', minute: 2, calls: 1, failed: 1 }]);
});

it('loses the oldest if they are not taken for hours', () => {
  const counts = new ServiceCounts();
  for (let minute = 1; minute <= 5_000; minute += 1) counts.count('api', 'search', false, undefined, minute * MINUTE);
  const kept = counts.take();
  expect([kept.length, kept[0]?.minute, kept.at(-1)?.minute]).toEqual([4_000, 1_001, 5_000]);
});

it('hands over a minute once it has passed, or everything', () => {
  const counts = new ServiceCounts();
  counts.count('api', 'search', false, undefined, MINUTE);
  expect(counts.take(2 * MINUTE - 1)).toEqual([]);
  counts.count('api', 'search', false, undefined, 2 * MINUTE - 1);
  expect(counts.take(2 * MINUTE)).toMatchObject([{ minute: 1, calls: 2 }]);
  counts.count('api', 'search', false, undefined, 2 * MINUTE);
  expect(counts.take()).toMatchObject([{ minute: 2, calls: 1 }]);
});

it('hands over the calls to suppliers, which have no account, without waiting for the end of the minute', () => {
  const counts = new ServiceCounts();
  counts.count('supplier:uno', 'book', true, undefined, MINUTE);
  counts.count('api', 'booking', true, 'a', MINUTE);
  expect(counts.take(MINUTE + 1)).toEqual([
    { part: 'supplier:uno', operation: 'book', minute: 1, calls: 1, failed: 1 },
  ]);
  counts.count('supplier:uno', 'book', false, undefined, MINUTE + 2);
  expect(counts.take(2 * MINUTE)).toMatchObject([
    { part: 'api', calls: 1 },
    { part: 'supplier:uno', calls: 1, failed: 0 },
  ]);
});

describe('of the failures of one account', () => {
  type Calls = readonly (readonly [account: string | undefined, good: number, bad: number])[];
  it.each<[string, Calls, { calls: number; failed: number }]>([
    [
      'one counts, if no other one had any',
      [
        ['a', 3, 20],
        ['b', 4, 0],
      ],
      { calls: 8, failed: 1 },
    ],
    [
      'one more than all others had counts',
      [
        ['a', 0, 20],
        ['b', 0, 5],
        ['c', 1, 1],
      ],
      { calls: 14, failed: 13 },
    ],
    [
      'many count, if another one had many',
      [
        ['a', 0, 20],
        ['b', 1, 30],
        ['c', 2, 0],
      ],
      { calls: 44, failed: 41 },
    ],
    [
      'all count, if no other one was served',
      [
        ['a', 0, 300],
        ['b', 0, 2],
      ],
      { calls: 302, failed: 302 },
    ],
    ['all count, if it called alone', [['a', 3, 20]], { calls: 23, failed: 20 }],
    [
      'all count, if no other call has an account',
      [
        ['a', 3, 20],
        [undefined, 4, 0],
      ],
      { calls: 27, failed: 20 },
    ],
    [
      'those of no account confirm them',
      [
        ['a', 0, 20],
        ['b', 4, 0],
        [undefined, 0, 9],
      ],
      { calls: 23, failed: 19 },
    ],
  ])('%s', (_case, calls, expected) => {
    const counts = new ServiceCounts();
    for (const [account, good, bad] of calls)
      for (let index = 0; index < good + bad; index += 1) counts.count('api', 'booking', index < bad, account, MINUTE);
    expect(counts.take()).toEqual([{ part: 'api', operation: 'booking', minute: 1, ...expected }]);
  });

  it('that is one of very many, all count', () => {
    const counts = new ServiceCounts();
    for (let index = 0; index < 300; index += 1) counts.count('api', 'booking', true, `acc_${index}`, MINUTE);
    expect(counts.take()).toMatchObject([{ calls: 300, failed: 300 }]);
  });
});
