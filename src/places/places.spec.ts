import { describe, expect, it } from '@jest/globals';
import { isMagicPlace, MAGIC_COUNTRY, MAGIC_PLACES } from '../sandbox/magic-places.js';
import {
  airportByIata,
  airports,
  currencyOfCountry,
  distanceKm,
  isCountry,
  nearestIataCodes,
  timeZoneAt,
} from './places.js';

describe('airports', () => {
  it('have a code, city, country, position and time zone', () => {
    expect(airportByIata('BOS')).toMatchObject({
      iataCode: 'BOS',
      city: 'Boston',
      regionCode: 'MA',
      countryCode: 'US',
      timeZone: 'America/New_York',
      large: true,
    });
    expect(airportByIata('bos')).toBeUndefined();
    expect(airportByIata('QQQ')).toBeUndefined();
  });

  it('have valid positions, a country with a currency and unique codes', () => {
    expect(new Set(airports.map((airport) => airport.iataCode)).size).toBe(airports.length);
    for (const airport of airports) {
      expect(Math.abs(airport.latitude) <= 90 && Math.abs(airport.longitude) <= 180).toBe(true);
    }
    expect(new Set(airports.map((airport) => airport.countryCode)).size).toBeGreaterThan(200);
    expect([...new Set(airports.map((airport) => airport.countryCode))].filter((code) => !isCountry(code))).toEqual([]);
  });
});

describe('nearestIataCodes', () => {
  it.each([
    ['BSO', 'BOS', 'two letters swapped'],
    ['BOX', 'BOS', 'a letter wrong'],
    ['BOSS', 'BOS', 'a letter too many'],
    ['LH', 'LHR', 'a letter missing'],
    ['bos', 'BOS', 'small letters'],
    ['boston', 'BOS', 'the city'],
    ['zuri', 'ZRH', 'a city without its accent'],
  ])('%s suggests %s: %s', (typed, code) => {
    expect(nearestIataCodes(typed, 10)).toContain(code);
  });

  it('respects the limit and returns no duplicates', () => {
    const codes = nearestIataCodes('SAN', 5);
    expect(codes).toHaveLength(5);
    expect(codes[0]).toBe('SAN');
    expect(new Set(codes).size).toBe(5);
  });

  it('returns an empty list if nothing is similar', () => {
    expect(nearestIataCodes('qqqqqq', 3)).toEqual([]);
    expect(nearestIataCodes('', 3)).toEqual([]);
  });
});

describe('countries', () => {
  it('have a currency', () => {
    expect([currencyOfCountry('JP'), currencyOfCountry('KW'), currencyOfCountry('FR')]).toEqual(['JPY', 'KWD', 'EUR']);
    expect(currencyOfCountry('ZZ')).toBeUndefined();
    expect([isCountry('US'), isCountry('us'), isCountry(MAGIC_COUNTRY)]).toEqual([true, false, false]);
  });
});

describe('positions', () => {
  it('have a time zone', () => {
    expect(timeZoneAt(42.36, -71.06)).toBe('America/New_York');
  });

  it('have a distance', () => {
    const [boston, london] = [airportByIata('BOS'), airportByIata('LHR')];
    if (!boston || !london) throw new Error('airports are missing');
    expect(Math.round(distanceKm(boston, london))).toBeGreaterThan(5_220);
    expect(Math.round(distanceKm(boston, london))).toBeLessThan(5_260);
    expect(distanceKm(boston, boston)).toBe(0);
    expect(Math.round(distanceKm({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 180 }))).toBe(20_015);
  });
});

describe('magic places', () => {
  it('are not real airport codes', () => {
    expect(MAGIC_PLACES.map((code) => airportByIata(code))).toEqual(MAGIC_PLACES.map(() => undefined));
    expect([isMagicPlace('ZZT404'), isMagicPlace('zzt404'), isMagicPlace('BOS')]).toEqual([true, false, false]);
  });
});
