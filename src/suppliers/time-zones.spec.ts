import { describe, expect, it } from '@jest/globals';
import { latestInstant, timeZonesOf } from './time-zones.js';

const inCountry = (countryCode: string, more: object = {}) => ({ address: { countryCode }, ...more });

describe('the time zone of a location', () => {
  it.each<[string, ReturnType<typeof inCountry>, string]>([
    ['is that of its airport', inCountry('US', { iataCode: 'HNL' }), 'Pacific/Honolulu'],
    ['is that of its position', inCountry('ES', { latitude: 28.05, longitude: -16.57 }), 'Atlantic/Canary'],
    ['is that of its country if it has only one', inCountry('FR'), 'Europe/Paris'],
    ['is that of its country without that of a neighbor, which one airport has', inCountry('IT'), 'Europe/Rome'],
    [
      'is that of most airports if all clocks of its country are the same',
      inCountry('AR'),
      'America/Argentina/Buenos_Aires',
    ],
    ['is UTC for a magic place', inCountry('ZZ'), 'UTC'],
  ])('%s', (_what, where, zone) => {
    expect(timeZonesOf(where)).toEqual([zone]);
  });

  it.each([
    ['US', 'America/New_York', 'Pacific/Honolulu'],
    ['ES', 'Europe/Madrid', 'Atlantic/Canary'],
    ['AU', 'Australia/Sydney', 'Australia/Brisbane'],
    ['BR', 'America/Sao_Paulo', 'America/Manaus'],
    ['US', 'America/New_York', 'America/Los_Angeles'],
  ])('is not known from a country with several (%s): most likely %s, perhaps %s', (country, first, another) => {
    const zones = timeZonesOf(inCountry(country));
    expect(zones[0]).toBe(first);
    expect(zones).toContain(another);
    // An airport in another country is a mistake of the supplier.
    expect(timeZonesOf(inCountry(country, { iataCode: 'CDG' }))).toEqual(zones);
  });

  it.each([
    ['FR', '2027-02-01T09:00:00Z'],
    ['US', '2027-02-01T20:00:00Z'],
    ['', '2027-02-01T22:00:00Z'],
  ])('that is not known: the latest instant at which it may be ten there (%j) is %s', (country, latest) => {
    expect(new Date(latestInstant(inCountry(country), '2027-02-01T10:00:00')).toISOString()).toBe(
      latest.replace('Z', '.000Z'),
    );
  });

  it('on the night on which the clocks go back, is the second occurrence', () => {
    const boston = { iataCode: 'BOS', address: { countryCode: 'US' } };
    expect(latestInstant(boston, '2026-11-01T01:30:00')).toBe(Date.parse('2026-11-01T06:30:00Z'));
  });
});
