import { describe, expect, it } from '@jest/globals';
import { clockFinding, reasonOf } from './finding.js';

describe('clockFinding', () => {
  it.each([
    [0, true],
    [1_900, true],
    [-1_900, true],
    [2_200, false],
    [-2_200, false],
  ])('a clock that is %d ms off is accepted: %s', (skewMs, ok) => {
    const finding = clockFinding('database', 1_000_050 + skewMs, 1_000_000, 1_000_100);
    expect([finding.ok, finding.todo !== undefined]).toEqual([ok, !ok]);
    expect(finding.found).toContain(`${Math.abs(skewMs)} ms`);
  });

  it('allows for a slow network', () => {
    expect(clockFinding('store', 1_000_000, 1_000_000, 1_006_000).ok).toBe(true);
  });
});

describe('reasonOf', () => {
  it('describes a failed connection in one line, for the first address tried', () => {
    expect(reasonOf(new AggregateError([new Error('connect ECONNREFUSED ::1:1\nmore'), new Error('other')]))).toBe(
      'connect ECONNREFUSED ::1:1',
    );
  });
});
