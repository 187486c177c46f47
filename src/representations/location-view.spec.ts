import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { heapOf } from '../../test/support/heap.js';
import type { SupplierLocation } from '../model/locations.js';
import { ODD_TEXT } from './fixtures/odd-text.js';
import { sampleOffer } from './fixtures/sample-offer.js';
import { locationWire } from './location.wire.js';
import { readLocationId } from './location-id.js';
import { LocationFactsCache, locationView } from './location-view.js';

const key = createSecretKey(Buffer.alloc(32, 9));
const facts = new LocationFactsCache(key);

function viewOf(location: SupplierLocation, distanceKm?: number) {
  return locationView('uno', location, facts.of('uno', location), distanceKm);
}

function locationSaying(text: string): SupplierLocation {
  return {
    ...sampleOffer.pickup,
    brand: text,
    code: text,
    name: text,
    phone: text,
    counter: 'in_terminal',
    address: { lines: [text], city: text, region: text, postalCode: text, countryCode: 'US' },
    openingHours: [{ day: 'mon', open: '00:00', close: '24:00' }],
    specialHours: [{ name: text, from: '2027-12-25', to: '2027-12-26', slots: [{ open: '08:00', close: '12:00' }] }],
    afterHoursReturn: false,
    services: [text],
  };
}

describe('a location in a response', () => {
  it.each(['', ODD_TEXT])('contains any text of a supplier unchanged: %j', (text) => {
    const view = viewOf(locationSaying(text), 12.34);
    const shown = locationWire.parse(JSON.parse(JSON.stringify(view)));
    expect(shown).toEqual(locationWire.parse(view));
    expect([shown.name, shown.address.lines, shown.phone, shown.special_hours[0]?.name, shown.services]).toEqual([
      text,
      [text],
      text,
      text,
      [text],
    ]);
    expect(shown.distance_from_search).toEqual({ value: 12.3, unit: 'km' });
    expect(readLocationId(shown.location_id, key)).toMatchObject({ supplier: 'uno', brand: text, code: text });
  });

  it('omits what the supplier did not provide', () => {
    const names = Object.keys(JSON.parse(JSON.stringify(viewOf(sampleOffer.pickup))) as object);
    expect(names).not.toContain('phone');
    expect(names).not.toContain('distance_from_search');
  });

  it('does not match the schema with an invalid time or an additional member', () => {
    const wrong = viewOf({ ...sampleOffer.pickup, openingHours: [{ day: 'mon', open: '8am', close: '24:00' }] });
    const places = [wrong, { ...viewOf(sampleOffer.pickup), more: 1 }].map((view) =>
      locationWire.safeParse(view).error?.issues.map(({ path, code }) => [code, ...path]),
    );
    expect(places).toEqual([[['invalid_format', 'opening_hours', 0, 'open']], [['unrecognized_keys']]]);
  });
});

describe('what is added to a location', () => {
  const calling = (phone: string): SupplierLocation => ({ ...sampleOffer.pickup, phone });

  it.each([
    ['(1) 617-561-3500', '+16175613500'],
    ['617-561-3500', '+16175613500'],
    ['+1 617 561 3500 ext. 123456', '+1 617 561 3500 ext. 123456'],
    ['1'.repeat(98), '1'.repeat(98)],
  ])('parses telephone numbers of up to 25 characters, and keeps others as they are written: %s', (written, shown) => {
    expect(facts.of('uno', calling(written)).phone).toBe(shown);
  });

  it.each<[string, object, string, true | undefined]>([
    ['an airport', {}, 'America/New_York', undefined],
    ['a position', { iataCode: undefined, latitude: 21.3, longitude: -157.9 }, 'Pacific/Honolulu', undefined],
    ['neither', { iataCode: undefined, latitude: undefined, longitude: undefined }, 'America/New_York', true],
  ])('says of a time zone whether it is estimated: with %s', (_what, where, zone, estimated) => {
    const view = viewOf({ ...sampleOffer.pickup, code: zone, ...where });
    expect([view.time_zone, view.time_zone_estimated]).toEqual([zone, estimated]);
    expect(JSON.stringify(view).includes('estimated')).toBe(estimated === true);
  });

  it('belongs to the country, airport and position that a supplier sends, even if its code and number are the same', () => {
    const { latitude: _north, longitude: _east, ...pickup } = sampleOffer.pickup;
    const at = (countryCode: string, iataCode: string): SupplierLocation => ({
      ...{ ...pickup, code: 'C77', iataCode },
      address: { ...pickup.address, countryCode },
    });
    const places = [at('US', 'BOS'), at('GB', 'LHR'), at('JP', 'HND')].map((place) => facts.of('uno', place));
    expect(places.map(({ placeId, timeZone }) => [placeId, timeZone])).toEqual([
      ['plc_bos', 'America/New_York'],
      ['plc_lhr', 'Europe/London'],
      ['plc_hnd', 'Asia/Tokyo'],
    ]);
    expect(new Set(places.map(({ locationId }) => locationId)).size).toBe(3);
  });

  it('is kept for each supplier, however many locations another one sends', () => {
    const own = new LocationFactsCache(key);
    const before = own.of('uno', sampleOffer.pickup);
    const first = own.of('due', calling('x0'));
    for (let number = 1; number <= 10_000; number += 1) own.of('due', calling(`x${number}`));
    expect(own.of('uno', sampleOffer.pickup)).toBe(before);
    expect(own.of('due', calling('x0'))).not.toBe(first);
  });
});

it('what is remembered of a location does not keep the texts of which its own are a part', () => {
  const remembered = () => {
    const cache = new LocationFactsCache(key);
    for (let at = 0; at < 200; at += 1) {
      const [code = '', phone = ''] =
        `the desk number ${at}#please call the desk with the number ${at}#${' '.repeat(60_000)}`.split('#');
      expect(cache.of('uno', { ...sampleOffer.pickup, code, phone })).toMatchObject({ phone });
    }
    return cache;
  };
  // 200 texts have 12 MB.
  expect(heapOf(remembered)).toBeLessThan(3_000_000);
});
