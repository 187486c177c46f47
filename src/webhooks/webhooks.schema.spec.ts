import { expect, it } from '@jest/globals';
import { instant } from '../http/fields.js';
import { replayBody } from './webhooks.schema.js';

it.each([
  ['0000-01-01T00:00:00Z'],
  ['0001-01-01T00:00:00+10:00'],
  ['1969-12-31T23:59:59Z'],
  ['9999-12-31T23:59:59-23:59'],
])('an instant that PostgreSQL may not be able to read is refused: %s', (time) => {
  expect(instant.safeParse(time).success).toBe(false);
  expect(replayBody.safeParse({ since: time }).success).toBe(false);
});

it('an instant is in epoch milliseconds', () => {
  expect(instant.parse('1970-01-01T01:00:00.5+01:00')).toBe(500);
  expect(replayBody.parse({ since: '2027-05-01T00:00:00Z' })).toEqual({ since: Date.UTC(2027, 4, 1) });
});
