import { describe, expect, it } from '@jest/globals';
import { MOST_AHEAD_MS } from './due-endpoints.js';
import { PlaceUse } from './place-use.js';

const MINUTE = 60_000;
const ONE = { accountId: 'acc_1', isSlow: false };
const OTHER = { accountId: 'acc_2', isSlow: false };

function setUp() {
  const clock = { ms: 0 };
  return { clock, use: new PlaceUse(() => clock.ms) };
}

describe('the use of places', () => {
  it('decides how far an account goes ahead: all the way without any, and not after a minute of it', () => {
    const { use } = setUp();
    expect([use.aheadMs(ONE), use.isLittle(ONE)]).toEqual([MOST_AHEAD_MS, true]);
    use.add(ONE, 30);
    expect(use.isLittle(ONE)).toBe(true);
    use.add(ONE, 1_900);
    expect(use.isLittle(ONE)).toBe(false);
    const afterOne = use.aheadMs(ONE);
    for (let turn = 0; turn < 9; turn += 1) use.add(ONE, 1_900);
    expect(use.aheadMs(ONE)).toBeLessThan(afterOne);
    for (let turn = 0; turn < 30; turn += 1) use.add(ONE, 1_900);
    expect(use.aheadMs(ONE)).toBe(0);
  });

  it('counts no more than a minute, so that an account that had places all the time waits no longer than one that had as much', () => {
    const { clock, use } = setUp();
    use.add(ONE, 15 * MINUTE);
    use.add(OTHER, MINUTE);
    clock.ms += 5 * MINUTE;
    expect(use.aheadMs(ONE)).toBe(use.aheadMs(OTHER));
    expect(use.aheadMs(ONE)).toBeGreaterThan(0);
  });

  it('of fast and slow places, and of two accounts, is counted apart', () => {
    const { use } = setUp();
    use.add(ONE, MINUTE);
    expect([{ ...ONE, isSlow: true }, OTHER].map((member) => use.isLittle(member))).toEqual([true, true]);
  });

  it('is forgotten by half every five minutes, so that two accounts that wait keep their order', () => {
    const { clock, use } = setUp();
    use.add(ONE, 20_000);
    use.add(OTHER, 10_000);
    /** Since when they seem to wait. */
    const since = () => [use.aheadMs(ONE), use.aheadMs(OTHER)].map((aheadMs) => Math.round(clock.ms - aheadMs));
    const before = since();
    expect((before[0] ?? 0) - (before[1] ?? 0)).toBe(5 * MINUTE);
    clock.ms += 20 * MINUTE;
    expect(since()).toEqual(before);
    clock.ms += 30 * MINUTE;
    expect([use.isLittle(ONE), use.isLittle(OTHER)]).toEqual([true, true]);
  });

  it('is forgotten of accounts that go ahead of all again, when twice as many are remembered as did not', () => {
    const { clock, use } = setUp();
    const addAccounts = (prefix: string, count: number) => {
      for (let number = 0; number < count; number += 1) use.add({ ...ONE, accountId: `${prefix}${number}` }, MINUTE);
    };
    addAccounts('flood', 5_000);
    clock.ms += 60 * MINUTE;
    expect([use.size, use.isLittle({ ...ONE, accountId: 'flood0' })]).toEqual([5_000, true]);
    addAccounts('later', 1_400);
    expect(use.size).toBeLessThan(1_500);
    expect(use.isLittle({ ...ONE, accountId: 'later0' })).toBe(false);
  });
});
