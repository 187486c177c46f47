import { describe, expect, it } from '@jest/globals';
import type { PlaceRef, SupplierLocation } from '../model/locations.js';
import { sampleOffer } from './fixtures/sample-offer.js';
import { otherPlaces, placesOfWords, placeWords } from './shown-places.js';

const asked: PlaceRef = { iataCode: 'BOS', countryCode: 'US' };
const requested = { pickup: asked, dropoff: asked };
const airport: SupplierLocation = { ...sampleOffer.pickup, latitude: 42.366, longitude: -71.017 };
const { iataCode: _airport, latitude: _lat, longitude: _long, ...unplaced } = airport;
const downtown: SupplierLocation = { ...unplaced, code: 'BOSC01', name: 'Boston Downtown' };
const branch: SupplierLocation = { ...unplaced, code: 'LAX9', name: 'Los Angeles downtown' };
const at = (pickup: SupplierLocation, dropoff = pickup) => ({ pickup, dropoff });

function seen(offer: ReturnType<typeof at>) {
  const places = placesOfWords(placeWords(offer));
  if (!places) throw new Error('no words of places');
  return places;
}

describe('the places in an id', () => {
  it('are a short word, and two if the rental ends elsewhere', () => {
    expect(placeWords(at(airport))).toEqual([expect.stringMatching(/^p[\w-]{8}$/)]);
    expect(placeWords(at(airport, downtown))).toEqual([
      expect.stringMatching(/^p/),
      expect.stringMatching(/^o[\w-]{4}$/),
    ]);
    expect(seen(at(airport))).toEqual({ pickup: seen(at(airport)).dropoff, dropoff: seen(at(airport)).pickup });
  });

  it('are unknown in one of an earlier gateway', () => {
    expect(placesOfWords(['k:b2', 'n0'])).toBeUndefined();
  });
});

describe('a rental is elsewhere than shown', () => {
  it.each<[string, SupplierLocation, SupplierLocation]>([
    ['in another city', airport, branch],
    ['in the same city', airport, downtown],
    ['at the requested airport, by the code of a branch', downtown, airport],
  ])('%s', (_what, before, now) => {
    const text = `location is ${now.code} (${now.name})`;
    expect(otherPlaces(seen(at(before)), at(now), requested)).toEqual([`the pickup ${text}`, `the dropoff ${text}`]);
  });

  it('at one end', () => {
    const text = 'the dropoff location is LAX9 (Los Angeles downtown)';
    expect(otherPlaces(seen(at(airport)), at(airport, branch), requested)).toEqual([text]);
    expect(otherPlaces(seen(at(airport, downtown)), at(airport, branch), requested)).toEqual([text]);
  });
});

describe('a rental is where it was shown', () => {
  it.each<[string, SupplierLocation, SupplierLocation]>([
    ['by its code, under another name', downtown, { ...downtown, name: 'City office' }],
    ['by its code in other letters', downtown, { ...branch, code: 'bosc01' }],
    ['by the airport', airport, { ...branch, iataCode: 'BOS' }],
    ['by the airport as code', airport, { ...branch, code: 'BOS' }],
    ['by its name, spelled otherwise', downtown, { ...branch, name: 'BOSTON – Downtown' }],
    ['by its position', airport, { ...branch, latitude: 42.3661, longitude: -71.0171 }],
    ['by the code that was asked for', downtown, { ...branch, code: 'BOS' }],
  ])('%s', (_what, before, now) => {
    expect(otherPlaces(seen(at(before)), at(now), requested)).toEqual([]);
  });

  it('by the supplier’s code that was asked for', () => {
    const branchAsked = { pickup: { ...asked, supplierCode: 'LAX9' }, dropoff: asked };
    expect(otherPlaces(seen(at(downtown)), at(branch, downtown), branchAsked)).toEqual([]);
  });
});
