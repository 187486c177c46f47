import { describe, expect, it } from '@jest/globals';
import { AdaptiveLimit, type LoopReading } from './adaptive-limit.js';

const SATURATED = { idleShare: 0, lagMs: 100 };
const BUSY = { idleShare: 0.02, lagMs: 10 };
const WAITING = { idleShare: 0.9, lagMs: 0 };

/** Plays one reading per 100 ms and returns the limit after each; all requests that the limit allows are in progress. */
function play(most: number, readings: readonly LoopReading[], { running = most, isReached = true } = {}): number[] {
  let nowMs = 0;
  let reading: LoopReading = WAITING;
  const limit = new AdaptiveLimit(
    most,
    () => reading,
    () => nowMs,
  );
  // The first window only begins the measurement.
  limit.adapt(0, false);
  return readings.map((next) => {
    nowMs += 100;
    reading = next;
    limit.adapt(Math.min(running, limit.current), isReached);
    return limit.current;
  });
}

describe('the limit of requests in progress', () => {
  it('halves per window while the loop is saturated and late, down to 32', () => {
    expect(play(200, Array(5).fill(SATURATED))).toEqual([100, 50, 32, 32, 32]);
  });

  it('begins below the requests in progress, however high it was', () => {
    expect(play(2_000, [SATURATED], { running: 80 })).toEqual([40]);
  });

  it('grows while the loop is fully used but not late: requests that wait for suppliers need no processor', () => {
    const [first = 0, ...later] = play(200, [SATURATED, BUSY, BUSY, BUSY]);
    expect(later.every((limit, window) => limit > (later[window - 1] ?? first))).toBe(true);
  });

  it('recovers to 2,000 within two seconds while the loop is idle and requests wait', () => {
    const readings = [...Array(10).fill(SATURATED), ...Array(20).fill(WAITING)] as LoopReading[];
    expect(play(2_000, readings).at(-1)).toBe(2_000);
  });

  it('stays while nothing waits for it, and when the loop is late without being saturated', () => {
    expect(play(200, [BUSY, WAITING], { isReached: false })).toEqual([200, 200]);
    expect(play(200, [{ idleShare: 0.3, lagMs: 100 }], { isReached: false })).toEqual([200]);
  });

  it('ignores a reading over a long time without requests', () => {
    let nowMs = 0;
    const limit = new AdaptiveLimit(
      200,
      () => SATURATED,
      () => nowMs,
    );
    limit.adapt(0, false);
    nowMs = 5_000;
    limit.adapt(100, true);
    expect(limit.current).toBe(200);
  });
});
