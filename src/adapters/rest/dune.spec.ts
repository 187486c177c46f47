import { describe, expect, it } from '@jest/globals';
import type { RentalRequest } from '../../model/bookings.js';
import type { LocationSearch } from '../../model/locations.js';
import type { VehicleSearch } from '../../model/offers.js';
import { oneWarning } from '../../model/warnings.js';
import { answered, outcomeOf, problem, scripted } from './fixtures/replies.js';
import { shippedAdapter } from './fixtures/shipped.js';

const adapter = shippedAdapter('dune');

const locationSearch: LocationSearch = { keyword: 'Quarry Lake', countryCode: 'US', brands: ['Dune'] };
const vehicleSearch: VehicleSearch = {
  pickup: { supplierCode: 'QLA', countryCode: 'US' },
  dropoff: { iataCode: 'QLB', countryCode: 'US' },
  pickupDate: '2031-05-06T10:00:00',
  dropoffDate: '2031-05-09T10:00:00',
  countryCode: 'GB',
  age: 24,
  dateOfBirth: '2007-01-02',
  brands: ['Dune'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [{ number: 'W12' }],
  additionalDrivers: 0,
};
const rental: RentalRequest = {
  brand: 'Dune',
  ref: { rateId: 'rate-one', pickupCode: 'QLA', dropoffCode: 'Q7B' },
  pickup: { countryCode: 'US' },
  dropoff: { countryCode: 'US' },
  pickupDate: '2031-05-06T10:00:00',
  dropoffDate: '2031-05-09T10:00:00',
  countryCode: 'GB',
  age: 24,
  extras: [{ code: 'CHILD_SEAT', quantity: 2 }],
  coverages: ['PAI'],
};
const noVehicles = {
  currency: 'USD',
  days: 3,
  pickup: { code: 'QLA', name: 'Q', address: { country: 'US' } },
  dropoff: { code: 'QLA', name: 'Q', address: { country: 'US' } },
  vehicles: [],
};

const vehicle = { rateId: 'x', payment: 'prepaid', price: { total: '1.00' } };

describe('the location search', () => {
  it('sends keyword, country, key and request id, and may be repeated', async () => {
    const asked = scripted(answered('dune/stations.200.json'));
    await adapter.searchLocations?.(locationSearch, asked);
    expect(asked.calls).toEqual([
      {
        method: 'GET',
        path: '/v1/stations?q=Quarry%20Lake&country=US',
        headers: { accept: 'application/json', 'x-api-key': 'simulated-key', 'x-request-id': 'req_fixture' },
        repeatable: true,
      },
    ]);
  });

  it('maps the stations, leaves out invalid values, and warns of a station without country', async () => {
    const found = await adapter.searchLocations?.(locationSearch, scripted(answered('dune/stations.200.json')));
    expect(found).toEqual({
      items: [
        {
          brand: 'Dune',
          code: 'QLA',
          codeContext: 'supplier',
          iataCode: 'QLA',
          name: 'Quarry Lake Intl Airport',
          type: 'airport',
          counter: 'in_terminal',
          address: {
            lines: ['9 Arrivals Loop'],
            city: 'Quarry Lake',
            region: 'FL',
            postalCode: '32999',
            countryCode: 'US',
          },
          latitude: 27.25,
          longitude: -80.5,
          phone: '(1) 555-010-7700',
          openingHours: [
            { day: 'mon', open: '00:00', close: '24:00' },
            { day: 'tue', open: '08:30', close: '13:00' },
            { day: 'tue', open: '15:00', close: '19:00' },
          ],
          specialHours: [],
          afterHoursReturn: true,
          services: ['skip_the_queue'],
          public: true,
        },
        {
          brand: 'Dune',
          code: 'Q7B',
          codeContext: 'supplier',
          name: 'Quarry Lake Downtown',
          type: 'other',
          address: { lines: ['1 Mill Lane'], countryCode: 'US' },
          phone: '5550107701',
          openingHours: [],
          specialHours: [],
          services: [],
          public: true,
        },
      ],
      warnings: oneWarning('row_dropped', 'stations[2] is unreadable: countryCode'),
    });
  });

  it('is empty for an empty list, and a bad payload if no station of a list is readable', async () => {
    expect(await adapter.searchLocations?.(locationSearch, scripted({ status: 200, body: { stations: [] } }))).toEqual({
      items: [],
      warnings: [],
    });
    expect(
      await outcomeOf(adapter.searchLocations?.(locationSearch, scripted({ status: 200, body: { stations: [{}] } }))),
    ).toBe('bad_payload');
  });

  it('is not sent for coordinates', async () => {
    const asked = scripted();
    const found = await adapter.searchLocations?.(
      { brands: ['Dune'], near: { latitude: 1, longitude: 2, radiusKm: 3 } },
      asked,
    );
    expect(found?.items).toEqual([]);
    expect(asked.calls).toEqual([]);
  });
});

describe('the vehicle search', () => {
  it("sends stations, times, age and residence, and none of the driver's other data", async () => {
    const asked = scripted({ status: 200, body: noVehicles });
    expect(await adapter.searchVehicles?.(vehicleSearch, asked)).toEqual({ items: [], warnings: [] });
    expect(asked.calls[0]).toMatchObject({ method: 'POST', path: '/v1/availability', repeatable: true });
    expect(JSON.parse(asked.calls[0]?.body ?? '')).toEqual({
      pickup: { station: 'QLA', at: '2031-05-06T10:00:00' },
      dropoff: { station: 'QLB', at: '2031-05-09T10:00:00' },
      driver: { age: 24, country: 'GB' },
    });
  });

  it.each(['SOLD_OUT', 'UNKNOWN_STATION', 'STATION_CLOSED'])('finds nothing for %s', async (code) => {
    expect(await adapter.searchVehicles?.(vehicleSearch, scripted(problem(409, code)))).toEqual({
      items: [],
      warnings: [],
    });
  });

  it.each([
    [problem(400, 'INVALID_REQUEST'), 'rejected'],
    [problem(422, 'DRIVER_NOT_ELIGIBLE'), 'rejected not_eligible'],
    [{ status: 200, body: { ...noVehicles, currency: 'DUNES', vehicles: [vehicle] } }, 'bad_payload'],
    [{ status: 200, body: { ...noVehicles, currency: undefined } }, 'bad_payload'],
    [{ status: 200, body: { ...noVehicles, vehicles: [{ rateId: 'x' }] } }, 'bad_payload'],
    [{ status: 200, body: { ...noVehicles, vehicles: undefined } }, 'bad_payload'],
    [{ status: 200, body: { ...noVehicles, pickup: {} } }, 'bad_payload'],
    [{ status: 503, body: '<html>' }, 'unavailable'],
  ] as const)('fails for %j as %s', async (reply, expected) => {
    expect(await outcomeOf(adapter.searchVehicles?.(vehicleSearch, scripted(reply)))).toBe(expected);
  });

  it('is not sent for a place whose code is unknown', async () => {
    const asked = scripted();
    expect((await adapter.searchVehicles?.({ ...vehicleSearch, pickup: { countryCode: 'GB' } }, asked))?.items).toEqual(
      [],
    );
    expect(asked.calls).toEqual([]);
  });
});

describe('the price check', () => {
  it('sends the rate with the chosen options, and may be repeated', async () => {
    const asked = scripted({ status: 200, body: noVehicles });
    expect(await adapter.priceCheck?.(rental, asked)).toEqual({ items: [], warnings: [] });
    expect(asked.calls[0]).toMatchObject({ method: 'POST', path: '/v1/prices', repeatable: true });
    expect(JSON.parse(asked.calls[0]?.body ?? '')).toEqual({
      rateId: 'rate-one',
      driver: { age: 24, country: 'GB' },
      extras: [{ code: 'CHILD_SEAT', quantity: 2 }],
      protections: ['PAI'],
    });
  });

  it('rejects an offer without a rate before sending', async () => {
    const asked = scripted();
    expect(await outcomeOf(adapter.priceCheck?.({ ...rental, ref: {} }, asked))).toBe('rejected invalid_rate');
    expect(asked.calls).toEqual([]);
  });

  it('is a bad payload if several rates are priced', async () => {
    expect(await outcomeOf(adapter.priceCheck?.(rental, scripted(answered('dune/vehicles.200.json'))))).toBe(
      'bad_payload',
    );
  });

  it('reports why a rate is unavailable', async () => {
    expect(await outcomeOf(adapter.priceCheck?.(rental, scripted(problem(409, 'SOLD_OUT'))))).toBe('rejected sold_out');
    expect(await outcomeOf(adapter.priceCheck?.(rental, scripted(problem(410, 'RATE_EXPIRED'))))).toBe(
      'rejected rate_expired',
    );
  });
});
