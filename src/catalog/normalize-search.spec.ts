import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SchemaPipe } from '../http/schema.pipe.js';
import type { SupplierLocation } from '../model/locations.js';
import { locationId } from '../representations/location-id.js';
import { ApiError } from '../status/api-error.js';
import { type NormalizeSettings, normalize, requestEcho } from './normalize-search.js';
import { type VehiclesBody, type VehiclesQuery, vehiclesBody, vehiclesQuery } from './vehicles.schema.js';

const key = createSecretKey(Buffer.alloc(32, 3));
const context: NormalizeSettings = {
  // 2027-01-15 17:30 UTC is 12:30 in Boston.
  now: Date.UTC(2027, 0, 15, 17, 30),
  key,
  environment: 'sandbox',
  brands: undefined,
  owner: undefined,
  suppliers: [],
  maxResults: 1_000,
  defaultResults: 200,
  timeoutMs: { min: 200, max: 6_000 },
};
const location = {
  brand: 'Avis',
  code: 'OR1',
  codeContext: 'supplier',
  address: { lines: [], countryCode: 'US' },
  latitude: 28.5,
  longitude: -81.4,
} as unknown as SupplierLocation;
const base = { pickup_location: 'bos', pickup_date: '2027-02-01T10:00', dropoff_date: '2027-02-03T10:00:00' };

function query(change: Record<string, unknown>): VehiclesQuery {
  return new SchemaPipe(vehiclesQuery).transform({ ...base, ...change }) as VehiclesQuery;
}

function details(run: () => unknown): (string | undefined)[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error.problems.map((problem) => problem.details);
  }
  return [];
}

function problems(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error.problems.map((problem) => `${problem.reason} ${problem.field}`);
    throw error;
  }
  return [];
}

describe('codes and memberships that are for one supplier', () => {
  const suppliers: NormalizeSettings['suppliers'] = [
    { id: 'uno', name: 'Uno Cars', brands: ['Uno'], loyaltyPrograms: { Uno: ['Uno Plus'] } },
    { id: 'due', name: 'Due Cars', brands: ['Due'], loyaltyPrograms: {} },
  ];
  const read = (change: object) =>
    normalize(new SchemaPipe(vehiclesBody, 'body').transform({ ...base, ...change }) as VehiclesBody, {
      ...context,
      suppliers,
    });

  it('are echoed in `request`, memberships without their numbers', () => {
    const search = read({
      discount_codes: [
        { type: 'promo', value: 'P1', supplier: 'due' },
        { type: 'iata', value: '99' },
      ],
      loyalty: [{ program: 'UNO PLUS', number: 'N1', supplier: 'uno' }, { number: 'N2' }],
      additional_drivers: 2,
    });
    const echo = JSON.parse(JSON.stringify(requestEcho(search))) as object;
    expect(echo).toMatchObject({
      discount_codes: [
        { type: 'promo', value: 'P1', supplier: 'due' },
        { type: 'iata', value: '99' },
      ],
      loyalty: [{ program: 'UNO PLUS', supplier: 'uno' }, {}],
      additional_drivers: 2,
    });
    expect(JSON.stringify(echo)).not.toMatch(/N1|N2/);
  });

  it('an unknown supplier and a program of another supplier are out of range, with the allowed values', () => {
    const run = () =>
      read({
        discount_codes: [{ type: 'promo', value: 'P1', supplier: 'tre' }],
        loyalty: [
          { number: 'N1', supplier: 'tre' },
          { program: 'Due', number: 'N1', supplier: 'uno' },
        ],
      });
    expect(problems(run)).toEqual([
      'invalid_range discount_codes.0.supplier',
      'invalid_range loyalty.0.supplier',
      'invalid_range loyalty.1.program',
    ]);
    expect(run).toThrow(/Use one of uno, due\./);
    expect(details(run)[2]).toBe(
      '"loyalty.1.program" must be a loyalty program of Uno Cars. Use one of Uno, Uno Plus.',
    );
  });
});

describe('normalize', () => {
  it('fills in all defaults', () => {
    expect(normalize(query({}), context)).toMatchObject({
      pickup: { given: 'BOS', timeZones: ['America/New_York'] },
      dropoff: { given: 'BOS' },
      pickupDate: '2027-02-01T10:00:00',
      countryCode: 'US',
      age: 35,
      sortBy: 'price_total',
      maxResults: 200,
      minSuppliers: 0,
      sippCodes: [],
    });
  });

  it.each([
    ['a pickup in the past in local time', { pickup_date: '2027-01-15T12:29:00' }, ['invalid_range pickup_date']],
    [
      'a pickup later today in local time',
      { pickup_date: '2027-01-15T12:31:00', dropoff_date: '2027-01-16T10:00:00' },
      [],
    ],
    [
      '541 days ahead',
      { pickup_date: '2028-07-10T12:30:00', dropoff_date: '2028-07-12T10:00:00' },
      ['invalid_range pickup_date'],
    ],
    ['reversed dates', { dropoff_date: '2027-01-31T10:00:00' }, ['invalid_range dropoff_date']],
    ['59 minutes', { dropoff_date: '2027-02-01T10:59:00' }, ['invalid_range dropoff_date']],
    ['1 hour', { dropoff_date: '2027-02-01T11:00:00' }, []],
    ['330 days', { dropoff_date: '2027-12-28T10:00:00' }, []],
    ['331 days', { dropoff_date: '2027-12-29T10:00:00' }, ['invalid_range dropoff_date']],
    ['an unknown location', { pickup_location: 'QQQ' }, ['invalid_range pickup_location']],
    [
      'two invalid places and an invalid date',
      { pickup_location: 'QQQ', dropoff_location: 'loc_forged', pickup_date: '2020-01-01T10:00:00' },
      [
        'invalid_range pickup_location',
        'invalid_range dropoff_location',
        'invalid_range pickup_date',
        'invalid_range dropoff_date',
      ],
    ],
    ['a timeout below the bound', { timeout_ms: '100' }, ['invalid_range timeout_ms']],
    ['too many results', { max_results: '1500' }, ['invalid_range max_results']],
  ])('%s', (_title, change, expected) => {
    expect(problems(() => normalize(query(change), context))).toEqual(expected);
  });

  it.each([
    ['its code', 'ZZT404'],
    ['its code in lowercase', 'zzt404'],
    ['its place id', 'plc_ZZTPRC'],
    ['a location of a supplier with its code', locationId('uno', { ...location, code: 'ZZTSLD' }, key)],
  ])(
    'a magic place by %s is a place in the sandbox, and unknown in production, even for a single brand',
    (_case, place) => {
      const asked = query({ pickup_location: place, country_code: 'US' });
      const owner = { supplier: 'uno', brand: 'Uno' };
      expect(normalize(asked, { ...context, owner }).pickup.ref.countryCode).toBe('ZZ');
      const production = { ...context, owner, environment: 'production' } as const;
      expect(problems(() => normalize(asked, production))).toEqual(['invalid_range pickup_location']);
      const back = query({ dropoff_location: place });
      expect(problems(() => normalize(back, production))).toEqual(['invalid_range dropoff_location']);
      // Any other code of a supplier is sent to it.
      const other = query({ pickup_location: 'ZZT999', country_code: 'US' });
      expect(normalize(other, production).pickup.ref.supplierCode).toBe('ZZT999');
    },
  );

  it.each([
    [
      { pickup_location: undefined, pickup_date: undefined, dropoff_date: undefined },
      ['invalid_request pickup_location', 'invalid_request pickup_date', 'invalid_request dropoff_date'],
    ],
    [{ pickup_date: '2027-02-30T10:00:00' }, ['invalid_format pickup_date']],
    [{ pickup_date: '2027-02-01T10:00:00Z' }, ['invalid_format pickup_date']],
    [{ age: 'old' }, ['invalid_format age']],
    [{ age: '15' }, ['invalid_range age']],
    [{ currency: 'XXQ' }, ['invalid_range currency']],
    [{ country_code: 'USA' }, ['invalid_format country_code']],
    [{ country_code: 'QQ' }, ['invalid_range country_code']],
    [{ country_code: 'ZZ' }, ['invalid_range country_code']],
    [{ sort_by: 'colour' }, ['invalid_range sort_by']],
    [{ vehicle_sipp_codes: 'ECMR,EC' }, ['invalid_format vehicle_sipp_codes']],
    [{ transmission: ['manual', 'automatic'] }, ['invalid_range transmission']],
    [{ age: ['30', '40'] }, ['invalid_request age']],
    [{ dropof_location: 'BOS' }, ['invalid_request dropof_location']],
  ])('the schema rejects %o', (change, expected) => {
    expect(problems(() => query(change))).toEqual(expected);
  });

  it('calculates the age on the day of pickup from a date of birth', () => {
    const body = (date_of_birth: string) =>
      new SchemaPipe(vehiclesBody, 'body').transform({ ...base, date_of_birth }) as never;
    expect(normalize(body('2002-02-01'), context).age).toBe(25);
    expect(normalize(body('2002-02-02'), context).age).toBe(24);
    expect(problems(() => normalize(body('2015-01-01'), context))).toEqual(['invalid_range date_of_birth']);
  });

  it('searches only the supplier of a location_id unless the location is at an airport', () => {
    const town = normalize(query({ pickup_location: locationId('abg', location, key) }), context).pickup;
    expect(town).toMatchObject({
      onlySupplier: 'abg',
      onlyBrand: 'Avis',
      timeZones: ['America/New_York'],
      ref: { supplierCode: 'OR1' },
    });
    const airport = normalize(
      query({ pickup_location: locationId('abg', { ...location, code: 'MCO', iataCode: 'MCO' }, key) }),
      context,
    ).pickup;
    expect(airport.onlySupplier).toBeUndefined();
    expect(airport).toMatchObject({ codeOf: 'abg', ref: { supplierCode: 'MCO', iataCode: 'MCO' } });
  });

  it.each([
    ['US', '07:29', ['invalid_range pickup_date']],
    ['US', '07:31', []],
    // One airport of Italy is in the zone of Tunis.
    ['IT', '18:29', ['invalid_range pickup_date']],
    ['IT', '18:31', []],
  ])('where only the country %s is known, %s is compared with its earliest clock', (countryCode, time, expected) => {
    const { latitude: _north, longitude: _east, ...somewhere } = location;
    const change = {
      pickup_location: locationId('abg', { ...somewhere, address: { ...location.address, countryCode } }, key),
      pickup_date: `2027-01-15T${time}:00`,
      dropoff_date: '2027-01-17T10:00:00',
    };
    expect(problems(() => normalize(query(change), context))).toEqual(expected);
  });

  it("interprets a code as the supplier's own if one brand is named", () => {
    const owned = { ...context, owner: { supplier: 'abg', brand: 'Avis' } };
    expect(normalize(query({ pickup_location: 'or1', country_code: 'us' }), owned).pickup).toMatchObject({
      given: 'OR1',
      onlySupplier: 'abg',
      onlyBrand: 'Avis',
    });
    expect(problems(() => normalize(query({ pickup_location: 'or1' }), owned))).toEqual([
      'invalid_request country_code',
    ]);
    expect(problems(() => normalize(query({ pickup_location: 'or1' }), context))).toEqual([
      'invalid_range pickup_location',
    ]);
  });
});
