import { describe, expect, it } from '@jest/globals';
import { lifetimeSeconds } from './lifetime.js';

const NOW = Date.parse('2027-05-10T10:00:00Z');

describe('the lifetime of a session', () => {
  it.each([
    ['seconds', 90, 90],
    ['minutes', 20, 1_200],
    ['hours', 2, 7_200],
    ['milliseconds', 90_500, 90.5],
    ['epoch-seconds', NOW / 1_000 + 600, 600],
    ['epoch-millis', NOW + 600_000, 600],
    ['epoch-millis', NOW - 1_000, -1],
    ['iso', '2027-05-10T10:05:00Z', 300],
    ['iso', '2027-05-10T12:05:00.000+02:00', 300],
    ['iso', '2027-05-10T10:05:00', undefined],
    ['iso', 'soon', undefined],
    ['minutes', '20', undefined],
    ['seconds', undefined, undefined],
  ] as const)('stated in %s as %s is %s seconds', (unit, value, seconds) => {
    expect(lifetimeSeconds(value, unit, NOW)).toBe(seconds);
  });
});
