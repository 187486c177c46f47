import { describe, expect, test } from '@jest/globals';
import { throttled } from './throttled.js';

describe('throttled', () => {
  test.each([
    [throttled(7), undefined],
    [throttled(7, 'Too many calls.'), 'Too many calls. Try again in 7 s.'],
    [throttled(7, 'Too many attempts.', 'Wait a week.'), 'Too many attempts. Wait a week.'],
  ])('is a 429 with Retry-After in seconds: %s', (error, details) => {
    expect([error.status, error.headers, error.problems[0].details]).toEqual([429, { 'retry-after': '7' }, details]);
  });
});
