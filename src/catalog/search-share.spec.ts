import { expect, it } from '@jest/globals';
import type { ResolvedPlace } from '../offers/resolve-place.js';
import { shareFor } from './search-share.js';

const at = (given: string, codeOf?: string): ResolvedPlace => ({
  given,
  ref: { countryCode: 'US' },
  timeZones: ['America/New_York'],
  ...(codeOf === undefined ? {} : { codeOf }),
});
const search = (pickup = at('BOS'), dropoff = pickup, day = 1) => ({
  pickup,
  dropoff,
  pickupDate: `2027-02-${String(day).padStart(2, '0')}T10:00:00`,
  dropoffDate: '2027-03-04T10:00:00',
});
const DAYS = Array.from({ length: 28 }, (_, index) => index + 1);
const daysIn = (of: (day: number) => Parameters<typeof shareFor>[0], application = 'app_a'): readonly number[] =>
  DAYS.filter((day) => shareFor(of(day), application)('uno', 50));

it('a search is in the share or not whatever its filters are, and on every gateway', () => {
  const days = daysIn((day) => search(at('BOS'), at('BOS'), day));
  expect(days.length).toBeGreaterThan(5);
  expect(days.length).toBeLessThan(23);
  const filtered = (day: number) => ({
    ...search(at('BOS'), at('BOS'), day),
    age: 70,
    sippCodes: ['E***'],
    currency: 'EUR',
  });
  expect(daysIn(filtered)).toEqual(days);
  expect(daysIn((day) => search(at('BOS'), at('JFK'), day))).not.toEqual(days);
  expect(daysIn((day) => search(at('BOS'), at('BOS'), day), 'app_b')).not.toEqual(days);
});

it('a location that the supplier showed can be used by every search; a code of another supplier says nothing', () => {
  expect(daysIn((day) => search(at('loc_1', 'uno'), at('BOS'), day))).toEqual(DAYS);
  expect(daysIn((day) => search(at('BOS'), at('loc_1', 'uno'), day))).toEqual(DAYS);
  expect(daysIn((day) => search(at('loc_1', 'due'), at('BOS'), day))).not.toEqual(DAYS);
  expect(daysIn((day) => search(at('X1', 'uno'), at('BOS'), day))).not.toEqual(DAYS);
});
