import { describe, expect, it } from '@jest/globals';
import { gcra } from './gcra.js';

/** A seeded generator of numbers in [0, 1). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('gcra', () => {
  it.each([
    { perMinute: 60, burst: 1 },
    { perMinute: 600, burst: 200 },
    { perMinute: 7, burst: 3 },
    { perMinute: 90_000, burst: 10 },
  ])('never admits more than burst + rate × window in any window (%o)', (rate) => {
    const next = random(rate.burst);
    const admitted: number[] = [];
    let tat = 0;
    let now = 1_000_000_000;
    for (let i = 0; i < 5_000; i += 1) {
      now += Math.floor(next() * next() * (60_000_000 / rate.perMinute) * 3);
      const { allowed, tatUs } = gcra(tat, now, rate, 1);
      tat = tatUs;
      if (allowed) admitted.push(now);
    }
    for (let from = 0; from < admitted.length; from += 17) {
      for (const span of [1, rate.burst, rate.burst * 3]) {
        const first = admitted[from];
        const last = admitted[from + span];
        if (first === undefined || last === undefined) continue;
        expect(span + 1).toBeLessThanOrEqual(
          Math.floor(rate.burst + ((last - first) * rate.perMinute) / 60_000_000 + 1e-6),
        );
      }
    }
    expect(admitted.length).toBeGreaterThan(rate.burst);
  });

  it('admits a call exactly after the wait', () => {
    const rate = { perMinute: 1, burst: 1 };
    const first = gcra(0, 0, rate, 1);
    const refused = gcra(first.tatUs, 1_000_000, rate, 1);
    expect(refused).toMatchObject({ allowed: false, waitUs: 59_000_000 });
    expect(gcra(refused.tatUs, 59_999_999, rate, 1).allowed).toBe(false);
    expect(gcra(refused.tatUs, 60_000_000, rate, 1).allowed).toBe(true);
  });

  it('admits a call that costs more than the burst if the limit is unused, and charges the complete burst', () => {
    const rate = { perMinute: 60, burst: 3 };
    const first = gcra(0, 0, rate, 5);
    expect(first).toMatchObject({ allowed: true, usedUs: 3_000_000 });
    expect(gcra(first.tatUs, 2_999_999, rate, 5).allowed).toBe(false);
  });
});
