import { describe, expect, it } from '@jest/globals';
import { play, type Traffic } from './traffic.js';

const HOUR = 3_600;
/** A short version of `npm run proof:cache`. */
const TRAFFIC: Omit<Traffic, 'ttl'> = {
  ...{ seed: 7, hours: 2, searchesPerSecond: 20, routes: 5_000 },
  ...{ priceLasts: 12 * HOUR, checkedShare: 0.1, thinks: 60 },
};

describe('answers from memory, on Zipf traffic (s = 1.0) over 5,000 routes', () => {
  it('save at least 60 % of the supplier calls, with at most 0.5 points more changed prices', () => {
    const without = play({ ...TRAFFIC, ttl: undefined });
    const kept = play({ ...TRAFFIC, ttl: 300 });
    expect(without.supplierCalls).toBe(without.searches);
    expect(kept.supplierCalls / kept.searches).toBeLessThanOrEqual(0.4);
    expect(kept.changedShare - without.changedShare).toBeLessThanOrEqual(0.005);
  });

  it('are used for less long when prices change every half hour', () => {
    const volatile = { ...TRAFFIC, priceLasts: HOUR / 2 };
    const without = play({ ...volatile, ttl: undefined });
    const kept = play({ ...volatile, ttl: 300 });
    expect(kept.lifetimeShare).toBeLessThanOrEqual(0.25);
    expect(kept.changedShare - without.changedShare).toBeLessThanOrEqual(0.01);
  });
});
