import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SchemaPipe } from '../http/schema.pipe.js';
import { ApiError } from '../status/api-error.js';
import { searchesOf, searchForLines } from './airport-searches.js';
import { sortOffers } from './filter-and-sort.js';
import { type NormalizeSettings, normalize, requestEcho } from './normalize-search.js';
import { type VehiclesBody, type VehiclesQuery, vehiclesBody, vehiclesQuery } from './vehicles.schema.js';

const context: NormalizeSettings = {
  now: Date.UTC(2027, 0, 15, 17, 30),
  key: createSecretKey(Buffer.alloc(32, 3)),
  environment: 'sandbox',
  brands: undefined,
  owner: undefined,
  suppliers: [],
  maxResults: 1_000,
  defaultResults: 200,
  timeoutMs: { min: 200, max: 6_000 },
};
const dates = { pickup_date: '2027-02-01T10:00:00', dropoff_date: '2027-02-03T10:00:00' };
/** The center of Boston. */
const boston = { pickup_latitude: '42.3601', pickup_longitude: '-71.0589' };
const nowhere = { pickup_latitude: '-40', pickup_longitude: '-120' };

function search(change: Record<string, unknown>) {
  const input = new SchemaPipe(vehiclesQuery).transform({ ...dates, ...change }) as VehiclesQuery;
  return normalize(input, context);
}
const routes = (change: Record<string, unknown>) =>
  searchesOf(search(change)).map(({ pickup, dropoff }) => `${pickup.given} ${dropoff.given}`);
const echo = (change: Record<string, unknown>) =>
  JSON.parse(JSON.stringify(requestEcho(search(change)))) as Record<string, unknown>;
function entries(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error.problems.map((one) => `${one.reason} ${one.field}: ${one.details}`);
    throw error;
  }
  return [];
}

describe('a pickup by coordinates', () => {
  it('is the nearest airports within the radius, the nearest first, at most six', () => {
    expect(routes({ ...boston, pickup_radius_km: '10' })).toEqual(['BOS BOS']);
    const wide = routes({ ...boston, pickup_radius_km: '200' });
    expect(wide).toHaveLength(6);
    expect(wide[0]).toBe('BOS BOS');
  });

  it('has a radius of 50 km by default, and each airport its distance', () => {
    const request = echo(boston);
    expect(request).toMatchObject({ pickup_latitude: 42.3601, pickup_longitude: -71.0589, pickup_radius_km: 50 });
    expect(request).not.toHaveProperty('pickup_location');
    expect(request).not.toHaveProperty('dropoff_location');
    const distances = request.pickup_distances as {
      readonly iata_code: string;
      readonly distance_from_search: { readonly value: number; readonly unit: string };
    }[];
    expect(distances.map(({ iata_code }) => iata_code)).toEqual(request.pickup_airports);
    const kilometers = distances.map(({ distance_from_search: { value } }) => value);
    expect(distances[0]).toEqual({ iata_code: 'BOS', distance_from_search: { value: 4.4, unit: 'km' } });
    expect([...kilometers].sort((a, b) => a - b)).toEqual(kilometers);
    expect(Math.max(...kilometers)).toBeLessThanOrEqual(50);
  });

  it('is the same as JSON numbers in a body', () => {
    const point = { pickup_latitude: 42.3601, pickup_longitude: -71.0589, pickup_radius_km: 10 };
    const input = new SchemaPipe(vehiclesBody, 'body').transform({ ...dates, ...point }) as VehiclesBody;
    expect(searchesOf(normalize(input, context)).map(({ pickup }) => pickup.given)).toEqual(['BOS']);
  });

  it('is what sort_by=distance measures from, not its first airport', () => {
    const price = { total: { amountMinor: 1, currency: 'USD' }, dueNow: { amountMinor: 1, currency: 'USD' } };
    const at = (longitude: number) =>
      ({ supplier: 'uno', supplierIndex: 0, offer: { price, pickup: { latitude: 42.36, longitude } } }) as never;
    // East of the airport and near it, and west of the point and near that.
    const [east, west] = [at(-71), at(-71.09)];
    expect(sortOffers([east, west], search({ ...boston, sort_by: 'distance' }))).toEqual([west, east]);
    expect(sortOffers([west, east], search({ pickup_location: 'BOS', sort_by: 'distance' }))).toEqual([east, west]);
  });

  it('can be streamed if the circle has one airport', () => {
    expect(searchForLines(search({ ...boston, pickup_radius_km: '10' })).pickup.given).toBe('BOS');
    expect(entries(() => searchForLines(search({ ...boston, pickup_radius_km: '200' })))).toEqual([
      expect.stringMatching(/^invalid_request pickup_radius_km: .*Use one of BOS, /),
    ]);
  });
});

describe('a radius around a place', () => {
  /** Springfield, Massachusetts, which has no airport within 30 km but one at about 30. */
  const town = { pickup_location: 'plc_postal_us_01101' };

  it('replaces the default of three airports within 60 km', () => {
    const request = echo({ ...town, pickup_radius_km: '150' });
    expect(request).toMatchObject({ ...town, dropoff_location: town.pickup_location, pickup_radius_km: 150 });
    expect((request.pickup_airports as string[]).length).toBeGreaterThan(3);
    expect(request.pickup_distances).toHaveLength((request.pickup_airports as string[]).length);
  });

  it('leaves the request of a place without a radius as it was', () => {
    const { pickup_distances, pickup_radius_km } = echo(town);
    expect([pickup_distances, pickup_radius_km]).toEqual([undefined, undefined]);
    expect(Object.keys(echo({ pickup_location: 'LON' })).slice(0, 4)).toEqual([
      'pickup_location',
      'pickup_airports',
      'dropoff_location',
      'pickup_date',
    ]);
  });
});

describe('a return', () => {
  /** The center of Manhattan. */
  const york = { dropoff_latitude: '40.758', dropoff_longitude: '-73.9855' };

  it('by coordinates is at the nearest airport', () => {
    expect(routes({ pickup_location: 'BOS', ...york })).toEqual(['BOS LGA']);
    expect(echo({ pickup_location: 'BOS', ...york })).toMatchObject({
      dropoff_latitude: 40.758,
      dropoff_radius_km: 50,
      dropoff_airports: ['LGA'],
      dropoff_distances: [{ iata_code: 'LGA', distance_from_search: { unit: 'km' } }],
    });
  });

  it('by a place with a radius is at the nearest airport', () => {
    expect(
      routes({ pickup_location: 'BOS', dropoff_location: 'plc_postal_us_10036', dropoff_radius_km: '20' }),
    ).toEqual(['BOS LGA']);
  });

  it('at the same point is where each car was picked up', () => {
    const same = { dropoff_latitude: '42.36010', dropoff_longitude: '-71.0589', dropoff_radius_km: '5' };
    const found = routes({ ...boston, pickup_radius_km: '200', ...same });
    expect(found.map((route) => route.split(' ')).every(([from, to]) => from === to)).toBe(true);
  });

  it('elsewhere than a circle goes there from each of its airports', () => {
    const found = routes({ ...boston, pickup_radius_km: '200', dropoff_location: 'JFK' });
    expect(found).toHaveLength(6);
    expect(found.every((route) => route.endsWith(' JFK'))).toBe(true);
  });
});

describe('a 400 names the field for', () => {
  it.each<[string, Record<string, unknown>, (string | RegExp)[]]>([
    ['no place', {}, ['invalid_request pickup_location: "pickup_location" is required.']],
    [
      'a latitude without its longitude',
      { pickup_latitude: '1' },
      ['invalid_request pickup_longitude: "pickup_longitude" is required with "pickup_latitude".'],
    ],
    [
      'a longitude without its latitude',
      { pickup_location: 'BOS', dropoff_longitude: '1' },
      ['invalid_request dropoff_latitude: "dropoff_latitude" is required with "dropoff_longitude".'],
    ],
    [
      'a point beside a location',
      { ...boston, pickup_location: 'BOS' },
      [
        'invalid_request pickup_latitude: "pickup_latitude" excludes "pickup_location": name the place in one way only.',
      ],
    ],
    [
      'half a point beside a location',
      { pickup_longitude: '1', pickup_location: 'BOS' },
      [
        'invalid_request pickup_longitude: "pickup_longitude" excludes "pickup_location": name the place in one way only.',
      ],
    ],
    [
      'a radius of an airport code',
      { pickup_location: 'BOS', pickup_radius_km: '50' },
      [/^invalid_request pickup_radius_km: "pickup_radius_km" requires "pickup_latitude" and .* a plc_… id/],
    ],
    [
      'a radius of nothing',
      { pickup_location: 'BOS', dropoff_radius_km: '50' },
      [/^invalid_request dropoff_radius_km: .* requires "dropoff_latitude"/],
    ],
    [
      'a radius without a place',
      { pickup_radius_km: '50' },
      ['invalid_request pickup_location: "pickup_location" is required.'],
    ],
    [
      'a radius around a magic place',
      { pickup_location: 'plc_zzt404', pickup_radius_km: '50' },
      [/^invalid_request pickup_radius_km: .*no position/],
    ],
    [
      'a radius around a country',
      { pickup_location: 'plc_country_de', pickup_radius_km: '50' },
      [/^invalid_range pickup_location/],
    ],
    [
      'a point without airports',
      nowhere,
      [
        /^invalid_range pickup_radius_km: No airport is within 50 km of the point\. The nearest is [A-Z]{3}, \d+ km away\.$/,
      ],
    ],
    [
      'a point of return without airports',
      { pickup_location: 'BOS', dropoff_latitude: '-40', dropoff_longitude: '-120', dropoff_radius_km: '200' },
      [/^invalid_range dropoff_radius_km: No airport is within 200 km/],
    ],
    [
      'values out of range',
      { pickup_latitude: '90.1', pickup_longitude: '-180.1', pickup_radius_km: '200.1' },
      [
        'invalid_range pickup_latitude: "pickup_latitude" must be between -90 and 90.',
        'invalid_range pickup_longitude: "pickup_longitude" must be between -180 and 180.',
        'invalid_range pickup_radius_km: "pickup_radius_km" must be between 1 and 200.',
      ],
    ],
    [
      'a radius of 0',
      { ...boston, pickup_radius_km: '0' },
      ['invalid_range pickup_radius_km: "pickup_radius_km" must be between 1 and 200.'],
    ],
    [
      'NaN, exponents and empty texts',
      { pickup_latitude: 'NaN', pickup_longitude: '1e1', pickup_radius_km: '' },
      [
        'invalid_format pickup_latitude: "pickup_latitude" must be a decimal number.',
        'invalid_format pickup_longitude: "pickup_longitude" must be a decimal number.',
        'invalid_format pickup_radius_km: "pickup_radius_km" must be a decimal number.',
      ],
    ],
    [
      'a repeated latitude',
      { ...boston, pickup_latitude: ['1', '2'] },
      ['invalid_request pickup_latitude: "pickup_latitude" must be given once.'],
    ],
    [
      'a misspelled field',
      { pickup_location: 'BOS', pickup_latitud: '1' },
      [/^invalid_request pickup_latitud: .* Did you mean "pickup_latitude"\?$/],
    ],
  ])('%s', (_name, change, expected) => {
    expect(entries(() => search(change))).toEqual(
      expected.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))),
    );
  });

  it('texts and infinite numbers in a body', () => {
    const body = { ...dates, pickup_latitude: '1', pickup_longitude: Number('1e400') };
    expect(entries(() => new SchemaPipe(vehiclesBody, 'body').transform(body))).toEqual([
      'invalid_format pickup_latitude: "pickup_latitude" must be a number.',
      'invalid_format pickup_longitude: "pickup_longitude" must be a number.',
    ]);
  });

  it('a missing place beside missing dates, all of them, the place first', () => {
    expect(entries(() => new SchemaPipe(vehiclesQuery).transform({}))).toEqual([
      'invalid_request pickup_location: "pickup_location" is required.',
      'invalid_request pickup_date: "pickup_date" is required.',
      'invalid_request dropoff_date: "dropoff_date" is required.',
    ]);
  });
});
