import { expect, test } from '@jest/globals';
import { bucketOf, TALLY_BOUNDS_MS } from '../../metrics/supplier-tallies.js';
import { percentile, percentileBound } from './percentile.js';

/** Calls of these durations in milliseconds, by bucket. */
function counted(...durations: readonly number[]): readonly number[] {
  const counts = new Array<number>(TALLY_BOUNDS_MS.length + 1).fill(0);
  for (const duration of durations) counts[bucketOf(duration)] = (counts[bucketOf(duration)] ?? 0) + 1;
  return counts;
}

test.each<[readonly number[], number, number]>([
  [[51], 0.95, 75],
  [[...new Array<number>(19).fill(12), 4_100], 0.95, 20],
  [[...new Array<number>(18).fill(12), 4_100, 4_100], 0.95, 8_000],
  [[30, 9_000], 0.95, Number.POSITIVE_INFINITY],
  [[30, 9_000], 0.5, 35],
])('of calls that took %j ms, a share of %d took at most %d ms', (durations, share, bound) => {
  expect(percentileBound(counted(...durations), share)).toBe(bound);
});

test('an interpolated percentile may be longer than every call, which a bound does not claim to be', () => {
  expect(percentile(counted(51), 0.95)).toBeGreaterThan(51);
  expect(percentileBound(counted(), 0.95)).toBeUndefined();
});
