import { describe, expect, it } from '@jest/globals';
import { charge, DAY_US, type PolicyLimits, unused } from './limits.js';

const call = (nowUs: number) => ({ nowUs, cost: 1, callId: 'call', leaseMs: 1_000 });
const usages = () => ({ account: unused(), application: unused(), token: unused() });

describe('the daily quota', () => {
  const limits: PolicyLimits = { application: { perMinute: 60_000, burst: 100, perDay: 2 } };
  const midnightUs = 20_000 * DAY_US;

  it('ends at midnight UTC to the microsecond, whenever its first call was made', () => {
    const used = usages();
    const at = (nowUs: number) => charge(limits, used, call(nowUs));
    expect([at(midnightUs - 3_000_000), at(midnightUs - 2_000_000)].map(({ allowed }) => allowed)).toEqual([
      true,
      true,
    ]);
    expect(at(midnightUs - 1_000_000)).toMatchObject({
      allowed: false,
      kind: 'day',
      retryAfterSeconds: 1,
      resetSeconds: 1,
    });
    expect(at(midnightUs - 1).allowed).toBe(false);
    expect([at(midnightUs), at(midnightUs), at(midnightUs)].map(({ allowed }) => allowed)).toEqual([true, true, false]);
    expect(at(midnightUs)).toMatchObject({ retryAfterSeconds: 86_400 });
  });

  it('is not carried over from an unused day', () => {
    const used = usages();
    charge(limits, used, call(midnightUs));
    const later = [0, 1, 2].map(() => charge(limits, used, call(midnightUs + 5 * DAY_US)));
    expect(later.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  });
});

describe('the decision of several limits', () => {
  it('reports the account before the application, and the rate before the day, if they are equally restrictive', () => {
    const same = { perMinute: 1, burst: 10, perDay: 10 };
    expect(charge({ account: same, application: same, token: same }, usages(), call(DAY_US))).toMatchObject({
      name: 'account',
      kind: 'rate',
    });
  });
});
