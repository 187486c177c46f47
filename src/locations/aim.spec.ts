import { describe, expect, it } from '@jest/globals';
import { aimOf } from './aim.js';

const LOGAN = { latitude: 42.36, longitude: -71.01, radiusKm: 50 };
const keywordFor = (keyword: string, country_code?: string) =>
  aimOf({ keyword, country_code }, undefined, undefined).keyword;

describe('the keyword sent to suppliers', () => {
  it.each([
    ['with typos corrected', 'bostn', 'Boston'],
    ['an unknown word as it is', 'Xyzzyplugh', 'Xyzzyplugh'],
    ["a supplier's code as it is", 'OR1', 'OR1'],
    ['a beginning too short to mean a place as it is', 'lo', 'lo'],
    ['a city under the name that it has there', 'münchen', 'Munich'],
    ['a city as typed if that is its name', 'ZÜRICH', 'ZÜRICH'],
    ['the city of a metropolitan code', 'LON', 'London'],
    ['the code of an airport', 'charles de gaulle', 'CDG'],
    ['the city of the busiest airport of a country', 'Germany', 'Frankfurt am Main'],
    ['the city near a postal code', '02128', 'Boston'],
    ['a town without an airport as typed', 'heidelberg', 'heidelberg'],
  ])('is %s: %s', (_case, typed, keyword) => {
    expect(keywordFor(typed)).toBe(keyword);
  });

  it('depends on the country', () => {
    expect(keywordFor('roma')).toBe('Rome');
    expect(keywordFor('roma', 'AU')).toBe('roma');
  });

  it('is the magic place that the keyword names', () => {
    expect(aimOf({ keyword: 'zzt404' }, undefined, 'ZZT404')).toEqual({ keyword: 'ZZT404', isByDistance: false });
  });

  it('is the city of a point; none if no airport is near or nothing is searched', () => {
    expect(aimOf({}, LOGAN, undefined)).toEqual({ keyword: 'Boston', near: LOGAN, isByDistance: true });
    expect(aimOf({}, { latitude: -55, longitude: -140, radiusKm: 200 }, undefined).keyword).toBeUndefined();
  });
});

describe('the circle of a search', () => {
  it('is around a postal code; a town has one in case that it has no location itself', () => {
    expect(aimOf({ keyword: '02128' }, undefined, undefined).near).toMatchObject({ radiusKm: 50 });
    expect(aimOf({ keyword: 'manhattan' }, undefined, undefined)).toMatchObject({
      keyword: 'manhattan',
      otherwise: { latitude: expect.closeTo(40.78, 1), radiusKm: 50 },
    });
    expect(aimOf({ keyword: 'boston' }, undefined, undefined)).not.toHaveProperty('otherwise');
  });

  it("is the caller's with a keyword and a point", () => {
    expect(aimOf({ keyword: 'bostn' }, LOGAN, undefined)).toEqual({
      keyword: 'Boston',
      near: LOGAN,
      isByDistance: false,
    });
  });
});
