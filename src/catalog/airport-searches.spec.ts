import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isProblem, resolvePlace } from '../offers/resolve-place.js';
import type { CallOutcome } from '../suppliers/outcome.js';
import { airportCodes, dropoffProblem } from './airport-codes.js';
import { inSupplierOrder, searchesOf, viewsOf, withFailedAirports } from './airport-searches.js';
import type { NormalizedSearch } from './normalize-search.js';

const settings = { key: createSecretKey(Buffer.alloc(32, 3)), environment: 'sandbox' } as const;
function placeOf(text: string) {
  const place = resolvePlace(text, 'pickup_location', undefined, settings);
  if (isProblem(place)) throw new Error(place.details);
  return place;
}
const codesOf = (text: string) => airportCodes(placeOf(text)) ?? placeOf(text).given;

describe('a place', () => {
  it.each([
    ['LON', ['LHR', 'LGW', 'STN', 'LTN', 'LCY', 'SEN']],
    ['lon', ['LHR', 'LGW', 'STN', 'LTN', 'LCY', 'SEN']],
    ['BOS', 'BOS'],
    ['plc_bos', 'BOS'],
    ['plc_postal_us_02128', 'BOS'],
    ['ZZT404', 'ZZT404'],
  ])('%s means the airports %j', (text, codes) => {
    expect(codesOf(text)).toEqual(codes);
  });

  it.each(['NYC', 'PAR', 'TYO'])('%s has several airports, all in one country', (code) => {
    const { airports = [] } = placeOf(code);
    expect(airports.length).toBeGreaterThan(1);
    expect(airports.length).toBeLessThanOrEqual(6);
    expect(new Set(airports.map(({ ref }) => ref.countryCode)).size).toBe(1);
  });

  it.each(['plc_country_de', 'plc_region_us_ca', 'plc_city_1', 'QQQ'])('%s is a 400', (text) => {
    expect(resolvePlace(text, 'pickup_location', undefined, settings)).toMatchObject({ reason: 'invalid_range' });
  });

  it("is a supplier's own code if one brand is named", () => {
    const owner = { supplier: 'abg', brand: 'Avis' };
    expect(resolvePlace('LON', 'pickup_location', owner, settings)).toMatchObject({ codeOf: 'abg', given: 'LON' });
  });

  it('of a return must be one location, and the 400 lists them', () => {
    expect(dropoffProblem(placeOf('LON'))?.details).toContain('Use one of LHR, LGW');
    expect(dropoffProblem(placeOf('LHR'))).toBeUndefined();
  });
});

it('each airport is searched for itself, with the return there or at the requested place', () => {
  const [london, boston] = [placeOf('LON'), placeOf('BOS')];
  const routes = (dropoff: typeof london) =>
    searchesOf({ pickup: london, dropoff } as NormalizedSearch).map(
      (one) => `${one.pickup.given} ${one.dropoff.given}`,
    );
  expect(routes(london).slice(0, 2)).toEqual(['LHR LHR', 'LGW LGW']);
  expect(routes(boston).slice(0, 2)).toEqual(['LHR BOS', 'LGW BOS']);
  const one = { pickup: boston, dropoff: boston } as NormalizedSearch;
  expect(searchesOf(one)).toEqual([one]);
});

const rest = { durationMs: 1, shared: false };
const answered = (id: string, ...items: object[]): CallOutcome<object> => ({
  kind: 'answered',
  supplier: { id, name: id },
  items,
  ...rest,
});
const failed = (id: string): CallOutcome<object> => ({
  kind: 'failed',
  supplier: { id, name: id },
  cause: 'timeout',
  ...rest,
});

it('a supplier that fails for one airport is named, although it answers for another', () => {
  const merged = { partial: false, problems: [] };
  const found = [
    [answered('a', {}), failed('b')],
    [failed('a'), failed('b')],
  ];
  expect(withFailedAirports(merged, found, placeOf('LON'))).toMatchObject({
    partial: true,
    problems: [{ supplier: 'a', cause: 'timeout', details: expect.stringContaining('LGW') }],
  });
  expect(withFailedAirports(merged, [[answered('a')], [answered('a')]], placeOf('LON'))).toBe(merged);
});

it('calls are in supplier order, and an offer has the views of its airport', () => {
  const [one, other] = [{}, {}];
  const found = [
    [answered('a', one), answered('b')],
    [answered('a', other), answered('c')],
  ];
  expect(inSupplierOrder(found).map(({ supplier }) => supplier.id)).toEqual(['a', 'a', 'b', 'c']);
  const views = viewsOf([{ views: 'LHR' }, { views: 'LGW' }], found);
  expect([views(one), views(other)]).toEqual(['LHR', 'LGW']);
});
