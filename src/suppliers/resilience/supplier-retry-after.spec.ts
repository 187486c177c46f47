import { expect, it } from '@jest/globals';
import { retryAfterMs } from './supplier-retry-after.js';

it.each<[string | string[] | undefined, number]>([
  ['3', 3_000],
  ['0', 0],
  ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
  ['Thu, 01 Jan 2015 00:00:10 GMT', 0],
  ['Thursday, 01-Jan-26 00:00:10 GMT', 10_000],
  ['Thu Jan  1 00:00:10 2026', 10_000],
  ['Fri, 01 Jan 2027 00:00:00 GMT', 60_000],
  ['soon', 0],
  ['-5', 0],
  ['', 0],
  ['x 2099', 0],
  ['1e3', 0],
  ['0.25', 250],
  [' 1.5 ', 1_500],
  ['61', 60_000],
  ['999999999', 60_000],
  ['9999999999', 60_000],
  ['9'.repeat(400), 60_000],
  [undefined, 0],
  [['2', '9'], 2_000],
])('Retry-After %j is %i ms', (header, ms) => {
  expect(retryAfterMs(header, Date.UTC(2026, 0, 1))).toBe(ms);
});
