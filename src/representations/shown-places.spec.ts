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

describe('of an offer that showed only the airport that was asked for', () => {
  const boston: PlaceRef = { ...asked, name: 'Logan International', latitude: 42.3656, longitude: -71.0096 };
  const search = { pickup: boston, dropoff: boston };
  const { countryCode: _country, ...given } = { ...boston, code: 'BOS', name: 'Logan International' };
  const fallback: SupplierLocation = { ...unplaced, ...given };
  const counter: SupplierLocation = { ...unplaced, code: '71234', name: 'Boston Airport Terminal 1' };
  const near: SupplierLocation = { ...counter, latitude: 42.386, longitude: -71.03 };
  const far: SupplierLocation = { ...counter, latitude: 42.5, longitude: -71.0096 };
  const nameless: SupplierLocation = { ...unplaced, code: 'BOS', name: 'BOS' };
  const elsewhere = ['the pickup location is 71234 (Boston Airport Terminal 1)'];

  it.each<[string, SupplierLocation, SupplierLocation, readonly string[]]>([
    ['is the same rental, at a counter', fallback, counter, []],
    ['is the same rental, at a counter of the airport', fallback, near, []],
    ['is the same rental, if its code was its name', nameless, counter, []],
    ['is another rental, far from the airport', fallback, far, elsewhere],
    ['is another rental, if more was shown', { ...fallback, name: 'Boston Downtown' }, counter, elsewhere],
  ])('%s', (_what, before, now, texts) => {
    expect(otherPlaces(seen(at(before)), at(now, fallback), search)).toEqual(texts);
  });

  it.each<[SupplierLocation['type'], readonly string[]]>([
    ['downtown', elsewhere],
    ['rail', elsewhere],
    ['port', elsewhere],
    ['hotel', elsewhere],
    ['dealer', elsewhere],
    ['airport', []],
    ['other', []],
  ])('is another rental unless its type may be that of a counter: %s', (type, texts) => {
    for (const place of [counter, near])
      expect(otherPlaces(seen(at(fallback)), at({ ...place, type }, fallback), search)).toEqual(texts);
  });

  it.each<[string, PlaceRef]>([
    ['location of the supplier', { ...boston, supplierCode: 'BOS5' }],
    ['code of the supplier', { supplierCode: 'BOS5', countryCode: '' }],
  ])('is another rental, if a %s was asked for', (_what, chosen) => {
    const before = { ...fallback, code: 'BOS5', iataCode: chosen.iataCode as never };
    expect(otherPlaces(seen(at(before)), at(counter, before), { pickup: chosen, dropoff: chosen })).toEqual(elsewhere);
  });
});
