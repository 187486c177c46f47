import { expect, it } from '@jest/globals';
import { ServiceCounts } from './service-counts.js';

const MINUTE = 60_000;

it('adds up calls by minute, part, operation and account, and hands them over once', () => {
  const counts = new ServiceCounts();
  counts.count('api', 'search', false, 'acc_a', MINUTE);
  counts.count('api', 'search', true, 'acc_a', 2 * MINUTE - 1);
  counts.count('api', 'search', true, 'acc_b', 2 * MINUTE - 1);
  counts.count('api', 'token', false, undefined, 2 * MINUTE - 1);
  counts.count('supplier:uno', 'search', false, 'acc_a', 2 * MINUTE);
  expect(counts.take()).toEqual([
    { part: 'api', operation: 'search', minute: 1, account: 'acc_a', calls: 2, failed: 1 },
    { part: 'api', operation: 'search', minute: 1, account: 'acc_b', calls: 1, failed: 1 },
    { part: 'api', operation: 'token', minute: 1, account: '', calls: 1, failed: 0 },
    { part: 'supplier:uno', operation: 'search', minute: 2, account: 'acc_a', calls: 1, failed: 0 },
  ]);
  expect(counts.take()).toEqual([]);
  counts.count('api', 'search', true, 'acc_a', 2 * MINUTE + 1);
  expect(counts.take()).toMatchObject([{ minute: 2, account: 'acc_a', calls: 1, failed: 1 }]);
});

it('loses the oldest if they are not taken for hours', () => {
  const counts = new ServiceCounts();
  for (let minute = 1; minute <= 21_000; minute += 1) counts.count('api', 'search', false, undefined, minute * MINUTE);
  const kept = counts.take();
  expect([kept.length, kept[0]?.minute, kept.at(-1)?.minute]).toEqual([20_000, 1_001, 21_000]);
});

it('adds up the accounts beyond the first 200 as one, apart from calls without an account', () => {
  const counts = new ServiceCounts();
  counts.count('api', 'booking', true, undefined, MINUTE);
  for (let index = 0; index < 300; index += 1) counts.count('api', 'booking', true, `acc_${index}`, MINUTE);
  const rows = counts.take();
  expect([rows.length, rows[0], rows.at(-1)]).toMatchObject([
    201,
    { account: '', calls: 1 },
    { account: '+', calls: 101, failed: 101 },
  ]);
});
