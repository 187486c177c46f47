import { expect, it } from '@jest/globals';
import { utcTime } from './fields.js';

it.each([
  ['2027-05-01T00:00:00Z', true],
  ['1969-12-31T23:59:59Z', false],
  ['0000-01-01T00:00:00Z', false],
])('a time of the admin API is one that PostgreSQL can read: %s %s', (time, isRead) => {
  expect(utcTime.safeParse(time).success).toBe(isRead);
});
