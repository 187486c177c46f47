import { describe, expect, it } from '@jest/globals';
import { threadMs } from '../../test/support/thread-time.js';
import { airports } from '../places/places.js';
import { MAGIC_PLACES } from '../sandbox/magic-places.js';
import { createInventory } from './inventory.js';
import { locationSites } from './location-sites.js';
import type { Inventory, SimulatedLocation, SimulatedRental } from './world.js';

const avis = createInventory({ brand: 'Avis', seed: 1 });

function location(code: string, inventory: Inventory = avis): SimulatedLocation {
  const found = inventory.locationByCode(code);
  if (!found) throw new Error(`no location ${code}`);
  return found;
}

function rental(pickup: string, more: Partial<SimulatedRental> = {}): SimulatedRental {
  const at = location(pickup);
  return {
    pickup: at,
    dropoff: at,
    pickupDate: '2027-05-10T10:00:00',
    dropoffDate: '2027-05-14T10:00:00',
    age: 35,
    ...more,
  };
}

const codes = (keyword: string, country?: string, limit = 5) =>
  avis.findLocations(keyword, country, limit).map(({ code }) => code);

describe('locations', () => {
  it('are in at least 150 countries, at thousands of airports', () => {
    const sites = locationSites({ brand: 'Avis', seed: 1 });
    expect(sites.length).toBeGreaterThan(2_500);
    expect(new Set(sites.map(({ airport }) => airport.countryCode)).size).toBeGreaterThan(150);
  });

  it('have unique codes, with three characters in town', () => {
    const sites = locationSites({ brand: 'Avis', seed: 1 });
    expect(new Set(sites.map(({ code }) => code)).size).toBe(sites.length);
    const town = sites.filter(({ kind }) => kind === 'downtown' || kind === 'rail');
    expect(town.length).toBeGreaterThan(500);
    expect(town.filter(({ code }) => !/^[A-Z]{2}\d$/.test(code))).toEqual([]);
    const prefixed = locationSites({ brand: 'Avis', seed: 1, codePrefix: 'Q' }).filter(({ kind }) => kind === 'rail');
    expect(prefixed.every(({ code }) => /^Q[A-Z]{2}\d$/.test(code))).toBe(true);
  });

  it('are missing at about the configured share of airports', () => {
    const all = locationSites({ brand: 'Avis', seed: 1 }).filter(({ kind }) => kind === 'airport').length;
    const some = locationSites({ brand: 'Avis', seed: 1, unservedRate: 0.25 }).filter(
      ({ kind }) => kind === 'airport',
    ).length;
    expect(Math.abs(some / all - 0.75)).toBeLessThan(0.04);
  });

  it('have a position and opening hours', () => {
    expect(location('BOS')).toMatchObject({
      iataCode: 'BOS',
      atAirport: true,
      name: 'Boston Logan International Airport',
      city: 'Boston',
      region: 'Massachusetts',
      regionCode: 'MA',
      countryCode: 'US',
      timeZone: 'America/New_York',
      currency: 'USD',
      phone: expect.stringMatching(/^\(1\) \d{3}-555-01\d\d$/),
      postalCode: expect.stringMatching(/^\d{5}$/),
    });
    expect(location('LHR').phone).toMatch(/^\(44\) \d/);
    expect(location('NRT').currency).toBe('JPY');
  });

  it('are open around the clock, twice a day, or not on Sundays', () => {
    const all = locationSites({ brand: 'Avis', seed: 1 }).map(({ code }) => location(code));
    expect(
      all.some(({ hours }) => hours.every((day) => day[0]?.openMinute === 0 && day[0].closeMinute === 1_440)),
    ).toBe(true);
    expect(all.some(({ hours }) => hours.some((day) => day.length === 2))).toBe(true);
    expect(all.some(({ hours }) => hours[0]?.length === 0)).toBe(true);
    for (const { hours, code } of all) {
      expect([code, hours.length]).toEqual([code, 7]);
      const minutes = hours.map((day) => day.flatMap(({ openMinute, closeMinute }) => [openMinute, closeMinute]));
      expect(minutes.every((day) => day.every((minute, index) => index === 0 || minute > (day[index - 1] ?? 0)))).toBe(
        true,
      );
    }
  });

  it('are not found by a misspelled code', () => {
    expect([avis.locationByCode('bos'), avis.locationByCode(''), avis.locationByCode('QQQ')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('findLocations', () => {
  it.each([
    ['BOS', 'US', 'BOS'],
    ['boston', 'US', 'BOS'],
    ['Boston, MA', 'US', 'BOS'],
    ['boston logan', undefined, 'BOS'],
    ['ZURICH', undefined, 'ZRH'],
    ['Zürich', 'CH', 'ZRH'],
    ['heathrow', 'GB', 'LHR'],
  ])('finds %s in %s: %s', (keyword, country, code) => {
    expect(codes(keyword, country)[0]).toBe(code);
  });

  it('lists locations in town after the airport', () => {
    const found = avis.findLocations('boston', 'US', 5);
    expect(found.map(({ atAirport }) => atAirport).slice(0, 2)).toEqual([true, false]);
    expect(found[1]?.code).toMatch(/^BO\d$/);
    expect(codes(found[1]?.code ?? '')).toEqual([found[1]?.code]);
  });

  it('finds nothing for nonsense, an empty keyword or another country', () => {
    expect([codes('xyzzyx'), codes('  '), codes('boston logan', 'FR')]).toEqual([[], [], []]);
  });

  it('respects its limit', () => {
    expect(codes('san', undefined, 3)).toHaveLength(3);
    expect(codes('san', undefined, 0)).toEqual([]);
  });
});

describe('magic locations', () => {
  it.each(MAGIC_PLACES)('%s is in every inventory and found only by its code', (code) => {
    expect(codes(code.toLowerCase(), 'US')).toEqual([code]);
    expect(codes(code.slice(0, 5))).toEqual([]);
    expect(createInventory({ brand: 'Dune', seed: 99, unservedRate: 1 }).locationByCode(code)).toMatchObject({
      atAirport: true,
      name: `Sandbox ${code}`,
      city: 'Sandbox',
      countryCode: 'ZZ',
      timeZone: 'UTC',
      currency: 'USD',
    });
    expect(avis.carsFor(rental(code)).length).toBeGreaterThanOrEqual(30);
  });

  it('are not found by their city', () => {
    expect(codes('sandbox')).toEqual([]);
  });
});

describe('carsFor', () => {
  it('has at least 30 cars at every large airport', () => {
    for (const { iataCode } of airports.filter(({ large }) => large)) {
      expect(avis.carsFor(rental(iataCode)).length).toBeGreaterThanOrEqual(30);
    }
  });

  it('is deterministic by seed and brand', () => {
    const ask = (brand: string, seed: number) => createInventory({ brand, seed }).carsFor(rental('LIS'));
    expect(ask('Avis', 1)).toEqual(ask('Avis', 1));
    expect(ask('Avis', 1)).not.toEqual(ask('Avis', 2));
    expect(ask('Avis', 1)).not.toEqual(ask('Budget', 1));
  });

  it('is more expensive for a premium brand than for a budget one', () => {
    const average = (brand: string) => {
      const offers = createInventory({ brand, seed: 3 }).carsFor(rental('MUC'));
      return offers.reduce((sum, { price }) => sum + price.dailyRate, 0) / offers.length;
    };
    expect(average('Avis')).toBeGreaterThan(average('Payless') * 1.15);
  });

  it.each([
    ['the return is not after the pickup', { dropoffDate: '2027-05-10T10:00:00' }],
    ['a date is invalid', { pickupDate: 'soon' }],
    ['the return is in another country that is not a neighbor', { dropoff: location('JFK') }],
  ])('is empty when %s', (_, more) => {
    expect(avis.carsFor(rental('FRA', more))).toEqual([]);
  });

  it('is empty over 3,000 km and at closed locations', () => {
    expect(avis.carsFor(rental('BOS', { dropoff: location('LAX') }))).toEqual([]);
    const closed = locationSites({ brand: 'Avis', seed: 1 })
      .map(({ code }) => location(code))
      .find(({ hours, afterHoursReturn }) => hours[0]?.length === 0 && !afterHoursReturn);
    if (!closed) throw new Error('no location closes on Sundays');
    const sunday = '2027-05-09T10:00:00';
    expect(avis.carsFor(rental(closed.code, { pickupDate: sunday }))).toEqual([]);
    expect(avis.carsFor(rental(closed.code, { dropoffDate: '2027-05-16T10:00:00' }))).toEqual([]);
    expect(avis.carsFor(rental(closed.code)).length).toBeGreaterThanOrEqual(30);
  });

  it('leaves out cars whose class requires an older driver', () => {
    const young = avis.carsFor(rental('BCN', { age: 20 }));
    expect(young.length).toBeGreaterThan(5);
    expect(young.every(({ minAge }) => minAge <= 20)).toBe(true);
    expect(avis.carsFor(rental('BCN', { age: 17 }))).toEqual([]);
  });

  it('takes less than 4 ms per request once warm, which is ten times the usual', () => {
    const large = airports.filter((airport) => airport.large).map(({ iataCode }) => rental(iataCode));
    // The best of several rounds, because other load slows down a busy machine.
    const rounds = ['15', '16', '17', '18', '19'].map((day) => {
      const startedAt = threadMs();
      for (const asked of large) avis.carsFor({ ...asked, dropoffDate: `2027-05-${day}T10:00:00` });
      return (threadMs() - startedAt) / large.length;
    });
    expect(Math.min(...rounds)).toBeLessThan(4);
  });
});
