import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { FormerTokens } from './former-tokens.js';

const OWNER = { accountId: 'acc_1', applicationId: 'app_1' };
const HOME = '203.0.113.7';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** How many of `calls` with a token that isn't valid any more are recorded for its application. */
function recognized(former: FormerTokens, calls: number, network = HOME, digest = 'dead'): number {
  return Array.from({ length: calls }, () => former.refused(digest, network)).filter(Boolean).length;
}

claim(
  'API4',
  "A revoked or expired token of a sandbox can't be used to write into the records of its application: its calls are recorded only from the network that it first came from, at most 100, and for a minute.",
  () => {
    const former = new FormerTokens({ environment: 'sandbox' });
    former.admitted('dead', OWNER, HOME);
    former.admitted('dead', OWNER, '198.51.100.1');
    expect(recognized(former, 10, '198.51.100.1')).toBe(0);
    expect(former.refused('dead', HOME)).toEqual(OWNER);
    expect(recognized(former, 1_000)).toBe(99);

    former.admitted('dead', OWNER, HOME);
    jest.advanceTimersByTime(3_600_000);
    expect(recognized(former, 1)).toBe(1);
    jest.advanceTimersByTime(60_000);
    expect(recognized(former, 1)).toBe(1);
    jest.advanceTimersByTime(1);
    expect(recognized(former, 10)).toBe(0);
  },
);

it('are the last 5,000, and none outside the sandbox', () => {
  const former = new FormerTokens({ environment: 'sandbox' });
  for (let number = 0; number <= 5_000; number += 1) former.admitted(String(number), OWNER, HOME);
  expect(['0', '1', '5000'].map((digest) => recognized(former, 1, HOME, digest))).toEqual([0, 1, 1]);
  const production = new FormerTokens({ environment: 'production' });
  production.admitted('dead', OWNER, HOME);
  expect(recognized(production, 1)).toBe(0);
});
