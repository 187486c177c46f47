import { describe, expect, it } from '@jest/globals';
import { TokenBucket } from './token-bucket.js';

function world(perSecond: number, burst: number) {
  const clock = { ms: 50 };
  const bucket = new TokenBucket(perSecond, burst, () => clock.ms);
  const takeAll = (): number => {
    let taken = 0;
    while (taken < 10_000 && bucket.take()) taken += 1;
    return taken;
  };
  return { clock, bucket, takeAll };
}

describe('TokenBucket', () => {
  it('allows exactly the burst in one burst', () => {
    expect(world(10, 3).takeAll()).toBe(3);
  });

  it.each([
    [99, 0],
    [100, 1],
    [250, 2],
    [3_600_000, 3],
  ])('refills evenly up to the burst: at 10 per second, %i ms give %i tokens', (ms, tokens) => {
    const { clock, takeAll } = world(10, 3);
    takeAll();
    clock.ms += ms;
    expect(takeAll()).toBe(tokens);
  });

  it('never allows more than rate × time + burst, regardless of the timing', () => {
    const { clock, takeAll } = world(25, 4);
    let taken = 0;
    for (let step = 0; step < 1_000; step += 1) {
      taken += takeAll();
      clock.ms += 7;
    }
    expect(taken).toBeLessThanOrEqual(25 * 7 + 4);
    expect(taken).toBeGreaterThanOrEqual(25 * 7);
  });

  it('returns the time to the next token, also behind waiting callers', () => {
    const { bucket, takeAll } = world(10, 2);
    expect(bucket.waitMs()).toBe(0);
    takeAll();
    expect([bucket.waitMs(), bucket.waitMs(4)]).toEqual([100, 500]);
  });

  it('lets overdrawn calls through, and later calls wait for them', () => {
    const { bucket } = world(10, 1);
    for (let call = 0; call < 3; call += 1) bucket.overdraw();
    expect(bucket.waitMs()).toBe(300);
  });
});
