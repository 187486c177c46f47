import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { LocationSearch } from '../../model/locations.js';
import type { VehicleSearch } from '../../model/offers.js';
import { type SupplierContext, SupplierError, type SupplierHttpCall } from '../../model/supplier.js';
import { oneWarning } from '../../model/warnings.js';
import { createAbgAdapter } from './adapter.js';

const settings = {
  id: 'abg',
  name: 'Avis Budget Group',
  brands: ['Avis', 'Budget', 'Payless'],
  credentials: { clientId: 'client-one', clientSecret: 'secret-one' },
  options: {},
};
const adapter = createAbgAdapter(settings);

function fixture(name: string): string {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
}

/** A context that gives one answer per call, repeating the last one, and records the calls. */
function context(
  ...answers: readonly { readonly status: number; readonly body: string }[]
): SupplierContext & { readonly calls: SupplierHttpCall[] } {
  const calls: SupplierHttpCall[] = [];
  const http = {
    send: async (call: SupplierHttpCall) => {
      const answer = answers[Math.min(calls.length, answers.length - 1)];
      calls.push(call);
      return { status: answer?.status ?? 500, headers: {}, body: Buffer.from(answer?.body ?? '') };
    },
  };
  return { calls, http, requestId: 'req_fixture', environment: 'sandbox', now: 0 };
}

function answered(name: string): { readonly status: number; readonly body: string } {
  return { status: Number(/\.(\d{3})\.json$/.exec(name)?.[1]), body: fixture(name) };
}

async function faultOf(outcome: Promise<unknown> | undefined): Promise<string> {
  try {
    await outcome;
    return 'none';
  } catch (error) {
    return error instanceof SupplierError ? error.fault : `not a SupplierError: ${String(error)}`;
  }
}

const locationSearch: LocationSearch = {
  keyword: 'Quarry Lake',
  countryCode: 'US',
  brands: ['Avis', 'Budget', 'Payless'],
};
const vehicleSearch: VehicleSearch = {
  pickup: { supplierCode: 'KSA', countryCode: 'GB' },
  dropoff: { iataCode: 'KSB', countryCode: 'GB' },
  pickupDate: '2031-05-01T10:00:00',
  dropoffDate: '2031-05-04T09:00:00',
  countryCode: 'GB',
  age: 35,
  brands: ['Avis'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};

describe('the settings', () => {
  it('are rejected without a client secret, with an unknown option, or with a path that does not begin with a slash', () => {
    expect(() => createAbgAdapter({ ...settings, credentials: { clientId: 'x' } })).toThrow();
    expect(() => createAbgAdapter({ ...settings, options: { tokenpath: '/x' } })).toThrow();
    expect(() => createAbgAdapter({ ...settings, options: { tokenPath: 'oauth' } })).toThrow();
  });
});

describe('authenticate', () => {
  it('sends the credentials as headers of a GET and returns the two headers of every call, with expires_in read from text', async () => {
    const asked = context(answered('token.200.json'));
    await expect(adapter.authenticate?.(asked)).resolves.toEqual({
      headers: { authorization: 'Bearer tok-9f31c2', client_id: 'client-one' },
      expiresInSeconds: 7140,
    });
    expect(asked.calls).toEqual([
      {
        method: 'GET',
        path: '/oauth/token/v2',
        headers: { accept: 'application/json', client_id: 'client-one', client_secret: 'secret-one' },
      },
    ]);
  });

  it.each([
    [401, fixture('token-refused.401.json'), 'auth'],
    [400, '{"errorCode":"invalid_request","errorSummary":"client_id"}', 'auth'],
    [403, '', 'auth'],
    [429, '', 'throttled'],
    [503, '<html>', 'unavailable'],
    [404, '{}', 'rejected'],
    [200, '{"token_type":"Bearer"}', 'bad_payload'],
    [200, '<html>', 'bad_payload'],
  ])('answers %i %s as %s', async (status, body, fault) => {
    expect(await faultOf(adapter.authenticate?.(context({ status, body })))).toBe(fault);
  });
});

describe('the location search', () => {
  const paths = async (request: LocationSearch, options = {}): Promise<readonly string[]> => {
    const asked = context(answered('numeric-code.404.json'));
    await createAbgAdapter({ ...settings, options }).searchLocations?.(request, asked);
    return asked.calls.map((call) => call.path);
  };
  const path = (brand: string, country = 'US'): string =>
    `/cars/locations/v2/keyword?brand=${brand}&country_code=${country}&keyword=Quarry%20Lake&transaction_id=req_fixture`;

  it('makes one ALL call for all configured brands, otherwise one call per brand', async () => {
    expect(await paths(locationSearch)).toEqual([path('ALL')]);
    expect(await paths({ ...locationSearch, brands: ['Budget'] })).toEqual([path('Budget')]);
    expect(await paths({ ...locationSearch, brands: ['Avis', 'Payless'] })).toEqual([path('Avis'), path('Payless')]);
    expect(await paths(locationSearch, { locationBrands: 'one_a_call' })).toEqual([
      path('Avis'),
      path('Budget'),
      path('Payless'),
    ]);
  });

  it('always sends a country', async () => {
    const { keyword, brands } = locationSearch;
    expect(await paths({ keyword: keyword ?? '', brands }, { fallbackCountryCode: 'CA' })).toEqual([path('ALL', 'CA')]);
  });

  it('fails if one of several calls fails', async () => {
    const asked = context({ status: 200, body: '{"locations":[]}' }, { status: 500, body: '' });
    expect(await faultOf(adapter.searchLocations?.({ ...locationSearch, brands: ['Avis', 'Payless'] }, asked))).toBe(
      'unavailable',
    );
    expect(asked.calls).toHaveLength(2);
  });

  it('cannot search by coordinates: nothing is sent or found, and a warning says so', async () => {
    const asked = context();
    const found = await adapter.searchLocations?.(
      { brands: ['Avis'], near: { latitude: 1, longitude: 2, radiusKm: 3 } },
      asked,
    );
    expect(found).toEqual({ items: [], warnings: oneWarning('not_sent', 'abg v2 can find locations only by keyword') });
    expect(asked.calls).toEqual([]);
  });

  it('maps the malformed rows in order, drops foreign brands and other countries, and warns of unusable rows', async () => {
    const found = await adapter.searchLocations?.(locationSearch, context(answered('locations-dirty.200.json')));
    expect(found?.warnings.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'row_dropped: locations[5] has no code or no country',
      'row_dropped: locations[6] has no brand',
      'row_dropped: locations[7] has no brand',
    ]);
    expect(found?.items.map((item) => `${item.brand} ${item.code} ${item.type}`)).toEqual([
      'Avis XQA airport',
      'Budget Q7B downtown',
      'Payless QP1 rail',
    ]);
  });

  it.each([
    ['{"locations":[{"brand":"Avis"},{}]}', 'bad_payload'],
    ['{"locations":[{"brand":"Avis"},{"brand":"Foreign"}]}', 'answered'],
  ])('finds nothing only if some row is readable: %s is %s', async (body, outcome) => {
    const asked = adapter.searchLocations?.(locationSearch, context({ status: 200, body }));
    expect(
      await asked?.then(
        () => 'answered',
        ({ fault }) => fault,
      ),
    ).toBe(outcome);
  });

  it('keeps all countries if the caller named none', async () => {
    const { keyword, brands } = locationSearch;
    const found = await adapter.searchLocations?.(
      { keyword: keyword ?? '', brands },
      context(answered('locations-dirty.200.json')),
    );
    expect(found?.items.map((item) => item.code)).toEqual(['XQA', 'Q7B', 'QX9', 'QP1']);
  });
});

describe('the vehicle search', () => {
  it('sends the parameters of the contract, without birth date and wildcards', async () => {
    const asked = context(answered('vehicles-none.200.json'));
    await adapter.searchVehicles?.(
      {
        ...vehicleSearch,
        dateOfBirth: '1996-02-03',
        currency: 'USD',
        sippCodes: ['ECMR', 'C???'],
        loyalty: [{ number: 'W 12' }],
        discountCodes: [
          { type: 'corporate', value: 'R9' },
          { type: 'promo', value: 'P+1' },
          { type: 'iata', value: '0199' },
        ],
      },
      asked,
    );
    expect(asked.calls[0]?.path).toBe(
      '/cars/catalog/v2/vehicles?brand=Avis&pickup_date=2031-05-01T10%3A00%3A00&pickup_location=KSA&dropoff_date=2031-05-04T09%3A00%3A00' +
        '&dropoff_location=KSB&country_code=GB&age=35&discount_code=R9&coupon_code=P%2B1&iata_number=0199&membership_code=W%2012' +
        '&requested_rate_currency=USD&transaction_id=req_fixture',
    );
  });

  it('sends the SIPP filter if every code is complete, and warns of a discount code that it cannot send', async () => {
    const asked = context(answered('vehicles-none.200.json'));
    const found = await adapter.searchVehicles?.(
      { ...vehicleSearch, sippCodes: ['ECMR', 'CDAR'], discountCodes: [{ type: 'tour', value: 'T' }] },
      asked,
    );
    expect(asked.calls[0]?.path).toContain('&vehicle_sipp_codes=ECMR%2CCDAR&');
    expect(found).toEqual({
      items: [],
      warnings: oneWarning('not_sent', 'discount code of type tour not sent: abg accepts no further code'),
    });
  });

  it('finds nothing, without a call, for a place without a known code', async () => {
    const asked = context();
    const found = await adapter.searchVehicles?.({ ...vehicleSearch, pickup: { countryCode: 'GB' } }, asked);
    expect(found?.items).toEqual([]);
    expect(asked.calls).toEqual([]);
  });

  it('keeps the data of an answer that also has errors, with a warning', async () => {
    const found = await adapter.searchVehicles?.(vehicleSearch, context(answered('vehicles-with-errors.200.json')));
    expect(found?.items).toHaveLength(1);
    expect(found?.warnings.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'notice: abg sent vehicles with error 1203 coupon and discount cannot be combined',
      'incomplete: the answer has no reservation; places are taken from the request',
    ]);
    expect(found?.items[0]?.pickup).toMatchObject({ code: 'KSA', name: 'KSA', address: { countryCode: 'GB' } });
  });

  it.each([
    'wrapped-sold-out.404.json',
    'numeric-code.404.json',
    'vehicles-none.200.json',
    'vehicles-only-errors.200.json',
  ])('is empty for %s', async (name) => {
    expect(await adapter.searchVehicles?.(vehicleSearch, context(answered(name)))).toEqual({ items: [], warnings: [] });
  });

  it.each([
    ['flat-past.400.json', 'rejected'],
    ['several.400.json', 'rejected'],
    ['gateway.401.json', 'auth'],
    ['vehicles-absent.200.json', 'bad_payload'],
  ])('fails for %s as %s', async (name, fault) => {
    expect(await faultOf(adapter.searchVehicles?.(vehicleSearch, context(answered(name))))).toBe(fault);
  });

  it.each([
    [200, '<html>busy</html>', 'bad_payload'],
    [200, '{"vehicles":[{"cat', 'bad_payload'],
    [200, '[]', 'bad_payload'],
    [200, 'null', 'bad_payload'],
    [200, '{"vehicles":[{}]}', 'bad_payload'],
    [200, '{"error":"invalid_grant"}', 'auth'],
    [400, '{"status":{"errors":[{"code":"999999","reason":"never heard of"}]}}', 'rejected'],
    [403, '', 'auth'],
    [404, '<html>', 'rejected'],
    [404, '{}', 'rejected'],
    [408, '', 'unavailable'],
    [429, '{}', 'throttled'],
    [500, '{"status":{"errors":[{"code":"609"}]}}', 'unavailable'],
    [502, '<html>', 'unavailable'],
    [503, '', 'unavailable'],
  ])('fails for %i %s as %s', async (status, body, fault) => {
    expect(await faultOf(adapter.searchVehicles?.(vehicleSearch, context({ status, body })))).toBe(fault);
  });
});
