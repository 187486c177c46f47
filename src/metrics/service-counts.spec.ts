import { expect, it } from '@jest/globals';
import { ServiceCounts } from './service-counts.js';

const MINUTE = 60_000;

it('adds up calls by minute, part and operation, and hands them over once', () => {
  const counts = new ServiceCounts();
  counts.count('api', 'search', false, MINUTE);
  counts.count('api', 'search', true, 2 * MINUTE - 1);
  counts.count('api', 'token', false, 2 * MINUTE - 1);
  counts.count('supplier:uno', 'search', false, 2 * MINUTE);
  expect(counts.take()).toEqual([
    { part: 'api', operation: 'search', minute: 1, calls: 2, failed: 1 },
    { part: 'api', operation: 'token', minute: 1, calls: 1, failed: 0 },
    { part: 'supplier:uno', operation: 'search', minute: 2, calls: 1, failed: 0 },
  ]);
  expect(counts.take()).toEqual([]);
  counts.count('api', 'search', true, 2 * MINUTE + 1);
  expect(counts.take()).toEqual([{ part: 'api', operation: 'search', minute: 2, calls: 1, failed: 1 }]);
});

it('loses the oldest if they are not taken for hours', () => {
  const counts = new ServiceCounts();
  for (let minute = 1; minute <= 5_000; minute += 1) counts.count('api', 'search', false, minute * MINUTE);
  const kept = counts.take();
  expect([kept.length, kept[0]?.minute, kept.at(-1)?.minute]).toEqual([4_000, 1_001, 5_000]);
});
