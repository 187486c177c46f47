import { describe, expect, it } from '@jest/globals';
import { UsageCounters } from './usage-counters.js';

const MINUTE_MS = 60_000;

describe('UsageCounters', () => {
  it('adds up calls of the same application, minute, operation and status, and keeps all others apart', () => {
    const counters = new UsageCounters(100, () => undefined);
    counters.count('app_a', 'searchVehicles', 200, 0, 10);
    counters.count('app_a', 'searchVehicles', 200, MINUTE_MS - 1, 30);
    counters.count('app_a', 'searchVehicles', 206, 5, 1);
    counters.count('app_a', 'searchLocations', 200, 5, 1);
    counters.count('app_a', 'searchVehicles', 200, MINUTE_MS, 1);
    counters.count('app_b', 'searchVehicles', 200, 5, 1);
    const rows = counters.take(100);
    expect(rows).toHaveLength(5);
    expect(rows[0]).toEqual({
      applicationId: 'app_a',
      minute: 0,
      operation: 'searchVehicles',
      status: 200,
      calls: 2,
      durationMs: 40,
      buckets: [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    });
    expect(rows.slice(1).every(({ calls }) => calls === 1)).toBe(true);
  });

  it('returns every row once, at most as many as requested', () => {
    const counters = new UsageCounters(100, () => undefined);
    for (const status of [200, 206, 404]) counters.count('app_a', 'searchVehicles', status, 0, 1);
    expect(counters.take(2).map(({ status }) => status)).toEqual([200, 206]);
    expect(counters.take(2).map(({ status }) => status)).toEqual([404]);
    expect(counters.take(2)).toEqual([]);
  });

  it('is bounded: it drops the oldest rows and reports how many calls were lost', () => {
    let lost = 0;
    const counters = new UsageCounters(2, (calls) => {
      lost += calls;
    });
    for (const minute of [0, 0, 1, 2, 3]) counters.count('app_a', 'searchVehicles', 200, minute * MINUTE_MS, 1);
    expect([lost, counters.take(10).map(({ minute }) => minute)]).toEqual([3, [2, 3]]);
  });
});
