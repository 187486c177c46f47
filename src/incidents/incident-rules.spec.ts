import { describe, expect, it } from '@jest/globals';
import type { StoredCount } from './count-storage.js';
import { failingParts, recoveredAt } from './incident-rules.js';

const BOUNDS = { failureShare: 0.3, minutes: 3, minCalls: 10 };
const MINUTE = 60_000;
/** 20 s after a full minute, so the last full minute is complete. */
const NOW = 1_000 * MINUTE + 20_000;
/** Counts of the full minute that began so many minutes before the current one. */
const row = (
  ago: number,
  failed: number,
  calls = 10,
  operation = 'searchVehicles',
  part = 'supplier:uno',
): StoredCount => ({
  ...{ part, operation, calls, failed },
  at: (1_000 - ago) * MINUTE,
});
const failing = (...rows: StoredCount[]) => failingParts(rows, NOW, BOUNDS);
const bad = (...ago: number[]) => ago.map((minute) => row(minute, 3));

describe('a part fails', () => {
  it('after the share was reached in three full minutes in a row, from the first such minute on', () => {
    expect(failing(...bad(1, 2, 3))).toEqual([
      { part: 'supplier:uno', operations: ['searchVehicles'], beganAt: 997 * MINUTE, calls: 30, failed: 9 },
    ]);
    expect(failing(row(6, 0), ...bad(1, 2, 3, 4, 5))[0]).toMatchObject({ beganAt: 995 * MINUTE, calls: 50 });
  });

  it.each<[string, StoredCount[]]>([
    ['two minutes only', bad(1, 2)],
    ['a good minute between', [...bad(1, 3, 4), row(2, 2)]],
    ['a minute with too few calls', [...bad(1, 2), row(3, 9, 9)]],
    ['the current minute, which is not full', [...bad(1, 2), row(0, 10)]],
    ['an earlier time', bad(2, 3, 4)],
  ])('not after %s', (_case, rows) => {
    expect(failing(...rows)).toEqual([]);
  });

  it('before its last minute was written, by the minutes before', () => {
    expect(failingParts(bad(2, 3, 4), 1_000 * MINUTE + 10_000, BOUNDS)).toHaveLength(1);
  });

  it('with all operations that fail; kinds of API calls are parts of their own', () => {
    const ofApi = [1, 2, 3].map((ago) => row(ago, 10, 10, 'booking', 'api'));
    const books = [1, 2, 3, 4].map((ago) => row(ago, 10, 10, 'book'));
    expect(failing(...bad(1, 2, 3), ...ofApi, ...books, row(1, 0, 10, 'cancel'))).toMatchObject([
      { part: 'booking', operations: [] },
      { part: 'supplier:uno', operations: ['book', 'searchVehicles'], beganAt: 996 * MINUTE, calls: 70 },
    ]);
  });
});

describe('a part that failed', () => {
  const part = { part: 'supplier:uno', operations: ['searchVehicles'] };
  const recovered = (...rows: StoredCount[]) => recoveredAt(part, rows, NOW, BOUNDS);

  it('recovered when three minutes had at most half of the share, by their beginning', () => {
    expect(recovered(...bad(4, 5, 6), row(3, 1), row(2, 1), row(1, 0))).toBe(997 * MINUTE);
  });

  it.each<[string, StoredCount[]]>([
    ['one minute was worse', [row(3, 0), row(2, 2), row(1, 0)]],
    ['there were too few calls', [row(30, 5), row(2, 0, 9)]],
    ['only other operations work', [row(30, 5), row(1, 0, 90, 'book'), row(2, 0, 90, 'book')]],
  ])('has not if %s', (_case, rows) => {
    expect(recovered(...rows)).toBeUndefined();
  });

  it('is not known to fail after an hour without calls', () => {
    expect([recovered(), recovered(row(61, 10)), recovered(row(59, 10))]).toEqual([NOW, NOW, undefined]);
  });
});
