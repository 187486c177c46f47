import { describe, expect, it } from '@jest/globals';
import type { LocationSearch } from '../../model/locations.js';
import type { VehicleSearch } from '../../model/offers.js';
import { SupplierError } from '../../model/supplier.js';
import type { Directive } from '../world.js';
import { connect } from './fixtures/connected-adapter.js';
import { locations } from './fixtures/tiny-inventory.js';

const { adapter, ask, clock, context } = connect();

const locationSearch: LocationSearch = { keyword: 'quarry lake', countryCode: 'US', brands: ['Avis', 'Budget'] };
const vehicleSearch: VehicleSearch = {
  pickup: { supplierCode: 'QLA', countryCode: 'US' },
  dropoff: { supplierCode: 'QLA', countryCode: 'US' },
  pickupDate: '2031-05-06T10:00:00',
  dropoffDate: '2031-05-09T10:00:00',
  countryCode: 'US',
  age: 35,
  brands: ['Avis'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};

/** HTTP status and ABG code of a search, and the adapter's result. */
async function outcome(changes: Partial<VehicleSearch>, directive?: Directive): Promise<string> {
  const asked = await context(directive);
  let taken = 'items';
  try {
    const found = await adapter.searchVehicles?.({ ...vehicleSearch, ...changes }, asked);
    if (found?.items.length === 0) taken = 'empty';
  } catch (error) {
    if (!(error instanceof SupplierError)) throw error;
    taken = error.fault;
  }
  const answer = asked.answers[0];
  const code = /"code":"(\d+)"/.exec(answer?.body ?? '')?.[1] ?? 'none';
  return `${answer?.status} ${code} ${taken}`;
}

describe('tokens', () => {
  const token = (headers: Readonly<Record<string, string>>) => ask({ method: 'GET', path: '/oauth/token/v2', headers });

  it('are issued for credentials in headers; refusals have the two formats of the token endpoint', () => {
    expect(token({ client_id: 'client-one', client_secret: 'secret-one' }).status).toBe(200);
    expect(token({ client_secret: 'secret-one' })).toMatchObject({
      status: 400,
      body: expect.stringContaining('"errorCode":"invalid_request"'),
    });
    expect(token({ client_id: 'client-one', client_secret: 'x' })).toMatchObject({
      status: 401,
      body: expect.stringContaining('"invalid_client"'),
    });
  });

  it('are required for every product call: a missing, unknown or expired one is the gateway 401, a wrong client_id the other 401', () => {
    const call = (headers: Readonly<Record<string, string>>) =>
      ask({ method: 'GET', path: '/cars/locations/v2/keyword?brand=ALL', headers });
    const good = {
      authorization: `Bearer ${JSON.parse(token({ client_id: 'client-one', client_secret: 'secret-one' }).body).access_token}`,
    };
    const gateway = { error: 'invalid_grant', error_description: 'token not found, expired or invalid' };
    for (const authorization of ['', 'Bearer made-up', 'Basic xyz']) {
      const refused = call({ client_id: 'client-one', authorization });
      expect(refused.status).toBe(401);
      expect(refused.headers['www-authenticate']).toContain('error="invalid_token"');
      expect(JSON.parse(refused.body)).toEqual(gateway);
    }
    expect(call(good)).toMatchObject({ status: 401, body: expect.stringContaining('unauthorized_client') });
    expect(call({ ...good, client_id: 'client-one' }).status).toBe(400);
    clock.now += 7_141_000;
    expect(JSON.parse(call({ ...good, client_id: 'client-one' }).body)).toEqual(gateway);
    clock.now -= 7_141_000;
  });
});

describe('locations', () => {
  it("include every brand with ABG's irregular data, and the adapter reads them all without a warning", async () => {
    const asked = await context();
    const found = await adapter.searchLocations?.(locationSearch, asked);
    const wire = asked.answers[0]?.body ?? '';
    expect(wire).toMatch(/"address_line_2":"NA"/);
    expect(wire).toMatch(/"lat":"27\.250000"/);
    expect(wire).toMatch(/"telephone":"[^"]+ {14}"/);
    expect(wire).toMatch(/"hours":"Mon - Fri 8:30 AM - 1:00 PM and 3:00 PM - 7:00 PM; Sat 8:00 AM - 1:00 PM"/);
    expect(wire).toMatch(/"hours":"Sun - Sat open 24 hrs"/);
    expect(wire).toMatch(/"first_slot_open_time":"830"/);
    expect(found?.warnings).toEqual([]);
    expect(found?.items.map((item) => `${item.brand} ${item.code}`)).toEqual(
      ['Avis', 'Budget'].flatMap((brand) => locations.map(({ code }) => `${brand} ${code}`)),
    );
  });

  it('have the same hours in slots and in text', async () => {
    const found = await adapter.searchLocations?.({ ...locationSearch, brands: ['Avis'] }, await context());
    const spoken = (code: string) => JSON.stringify(found?.items.find((item) => item.code === code)?.openingHours);
    for (const { code, atAirport } of locations) expect(spoken(code)).toBe(spoken(atAirport ? 'QLA' : 'Q7B'));
    expect(JSON.parse(spoken('Q7B'))).toHaveLength(11);
    expect(JSON.parse(spoken('QLA'))).toContainEqual({ day: 'sun', open: '00:00', close: '24:00' });
  });

  it.each<readonly [string, Directive['verb'] | undefined, string]>([
    ['brand=AVIS&keyword=quarry&country_code=US', undefined, '400 400'],
    ['brand=Avis&country_code=US', undefined, '400 400'],
    ['brand=Avis&keyword=quarry', undefined, '400 400'],
    ['brand=Avis&keyword=nowhere&country_code=US', undefined, '404 609'],
    ['brand=Payless&keyword=quarry&country_code=US', undefined, '404 609'],
    ['brand=Avis&keyword=quarry&country_code=US', 'empty', '404 609'],
    ['brand=Avis&keyword=quarry&country_code=US', 'throttled', '429 429'],
    ['brand=Avis&keyword=quarry&country_code=US', 'auth', '401 undefined'],
    ['brand=Avis&keyword=quarry&country_code=GB', undefined, '200 undefined'],
  ])('%s with scenario %s answers %s', async (query, verb, expected) => {
    const directive = { verb: verb ?? 'ok' } as Directive;
    const asked = await context(directive);
    const answer = await asked.http.send({ method: 'GET', path: `/cars/locations/v2/keyword?${query}` });
    expect(`${answer.status} ${JSON.parse(answer.body.toString()).status?.errors?.[0]?.code}`).toBe(expected);
  });
});

describe('vehicles', () => {
  it('are all read by the adapter without a warning, and every total is the sum of its items', async () => {
    for (const [dropoff, age] of [
      ['QLA', 35],
      ['Q7B', 35],
      ['QLA', 23],
    ] as const) {
      const search = { ...vehicleSearch, dropoff: { supplierCode: dropoff, countryCode: 'US' }, age };
      const found = await adapter.searchVehicles?.(search, await context());
      expect(found?.warnings).toEqual([]);
      expect(found?.items.length).toBe(age < 25 ? 3 : 5);
      for (const { price } of found?.items ?? []) {
        const counted = price.items
          .filter((item) => item.includedInTotal)
          .reduce((sum, item) => sum + item.amount.amountMinor, 0);
        expect(counted).toBe(price.total.amountMinor);
        expect(price.unitemised).toBeUndefined();
        expect(price.dueNow.amountMinor + price.dueAtCounter.amountMinor).toBe(price.total.amountMinor);
        expect((price.base?.amountMinor ?? 0) + (price.taxes?.amountMinor ?? 0) + (price.fees?.amountMinor ?? 0)).toBe(
          price.total.amountMinor,
        );
        expect(price.items.at(-1)).toMatchObject({ description: 'Toll pass', includedInTotal: false });
      }
    }
  });

  it('have a lower price and its confirmation for codes that ABG knows; other codes and members change nothing', async () => {
    const found = async (codes: VehicleSearch['discountCodes'], loyalty: VehicleSearch['loyalty'] = []) => {
      const answer = await adapter.searchVehicles?.(
        { ...vehicleSearch, discountCodes: codes, loyalty },
        await context(),
      );
      const offer = answer?.items[1];
      return [offer?.price.base?.amountMinor, ...(offer?.rate.discountsApplied ?? [])];
    };
    const corporate = (value: string) => ({ type: 'corporate', value }) as const;
    const coupon = (value: string) => ({ type: 'coupon', value }) as const;
    expect(await found([])).toEqual([11_111]);
    expect(await found([corporate('R900001'), coupon('X1')], [{ number: 'W12' }])).toEqual([11_111]);
    expect(await found([corporate('CORP15')])).toEqual([9_444, 'CORP15']);
    expect(await found([corporate('R900001'), coupon('save10')])).toEqual([10_000, 'save10']);
    expect(await found([], [{ number: 'SIM12' }])).toEqual([10_555]);
    expect(await found([corporate('CORP15'), coupon('SAVE10')], [{ number: 'SIM12' }])).toEqual([
      7_778,
      'CORP15',
      'SAVE10',
    ]);
  });

  it('include the fees for one-way rentals and young drivers', async () => {
    const found = await adapter.searchVehicles?.(
      { ...vehicleSearch, dropoff: { supplierCode: 'Q7B', countryCode: 'US' }, age: 23 },
      await context(),
    );
    expect(found?.items[0]?.price.oneWay).toEqual({ amountMinor: 5_000, currency: 'USD' });
    expect(found?.items[0]?.requirements).toEqual({ youngDriverFee: { amountMinor: 2_700, currency: 'USD' } });
    expect(found?.items[0]?.fuelPolicy).toBe('full_to_full');
  });

  it('send counts as text and a numeric model name as a number', async () => {
    const asked = await context();
    const found = await adapter.searchVehicles?.(vehicleSearch, asked);
    expect(asked.answers[0]?.body).toMatch(/"model":500,/);
    expect(asked.answers[0]?.body).toMatch(/"doors":"4","seats":"5"/);
    expect(found?.items[0]?.vehicle).toMatchObject({
      name: 'Talon 500',
      model: '500',
      doors: 4,
      seats: 5,
      transmission: 'manual',
      fuel: 'petrol',
    });
    expect(found?.items[1]?.distancePolicy).toEqual([
      {
        unlimited: false,
        included: { value: 466, unit: 'mi' },
        per: 'rental',
        overage: { amountMinor: 9, currency: 'USD' },
      },
    ]);
  });

  it('add totals in the requested currency at fixed rates, and none for an unknown currency', async () => {
    const display = async (currency: string) =>
      (await adapter.searchVehicles?.({ ...vehicleSearch, currency }, await context()))?.items.map(
        (item) => item.price.display,
      )[0];
    const total =
      (await adapter.searchVehicles?.(vehicleSearch, await context()))?.items[0]?.price.total.amountMinor ?? 0;
    expect(await display('JPY')).toEqual({ amountMinor: Math.round((total / 100) * 151), currency: 'JPY' });
    expect(await display('XAF')).toBeUndefined();
  });

  it.each<readonly [string, Partial<VehicleSearch>, string]>([
    ['a valid request', {}, '200 200 items'],
    ['a brand without inventory', { brands: ['Payless'] }, '400 203 empty'],
    ['a brand in capitals', { brands: ['AVIS'] }, '400 400 rejected'],
    ['an unknown pickup', { pickup: { supplierCode: 'NOPE', countryCode: 'US' } }, '400 203 empty'],
    ['an unknown dropoff', { dropoff: { supplierCode: 'NOPE', countryCode: 'US' } }, '400 205 empty'],
    ["a pickup before now in the location's time zone", { pickupDate: '2031-05-01T07:59:59' }, '400 231 rejected'],
    ["a pickup just after now in the location's time zone", { pickupDate: '2031-05-01T08:00:01' }, '200 200 items'],
    ['a return at the pickup time', { dropoffDate: '2031-05-06T10:00:00' }, '400 232 rejected'],
    ['331 days', { dropoffDate: '2032-04-01T10:00:00' }, '400 221 rejected'],
    [
      'a closed location',
      { pickup: { supplierCode: 'Q7B', countryCode: 'US' }, pickupDate: '2031-05-04T10:00:00' },
      '400 242 empty',
    ],
    [
      'a return to a closed location',
      { dropoff: { supplierCode: 'Q7B', countryCode: 'US' }, dropoffDate: '2031-05-11T10:00:00' },
      '400 14261 empty',
    ],
    [
      'a one-way rental that is not offered',
      { dropoff: { supplierCode: 'Q1A', countryCode: 'US' } },
      '404 14381 empty',
    ],
    [
      'no cars for another reason',
      { pickup: { supplierCode: 'Q1B', countryCode: 'US' }, dropoff: { supplierCode: 'Q1B', countryCode: 'US' } },
      '404 500708 empty',
    ],
    ['a filter that matches nothing', { sippCodes: ['ZZZZ'] }, '404 500708 empty'],
    ['an invalid country of residence', { countryCode: 'usa' }, '400 13213 rejected'],
    ['an invalid date', { pickupDate: '2031-05-06' }, '400 400 rejected'],
  ])('%s', async (_case, changes, expected) => {
    expect(await outcome(changes)).toBe(expected);
  });

  it.each<readonly [Directive, string]>([
    [{ verb: 'empty' }, '404 500708 empty'],
    [{ verb: 'sold_out' }, '404 223 empty'],
    [{ verb: 'auth' }, '401 none auth'],
    [{ verb: 'throttled' }, '429 429 throttled'],
    [{ verb: 'on_request' }, '200 200 items'],
    [{ verb: 'price', percent: 10 }, '200 200 items'],
  ])('play scenario %j', async (directive, expected) => {
    expect(await outcome({}, directive)).toBe(expected);
  });

  it('are on request, or more expensive by the given percentage, in those scenarios', async () => {
    const asked = await adapter.searchVehicles?.(vehicleSearch, await context({ verb: 'on_request' }));
    expect(new Set(asked?.items.map((item) => item.status))).toEqual(new Set(['on_request']));
    const raised = await adapter.searchVehicles?.(vehicleSearch, await context({ verb: 'price', percent: 10 }));
    expect(raised?.items[0]?.price.base).toEqual({ amountMinor: 11_000, currency: 'USD' });
    expect(raised?.items.map((item) => item.status)).toEqual([
      'available',
      'available',
      'available',
      'on_request',
      'on_request',
    ]);
  });

  it.each(['brand', 'pickup_date', 'pickup_location', 'dropoff_date', 'dropoff_location', 'country_code'])(
    'want %s',
    async (name) => {
      const query = new URLSearchParams({
        brand: 'Avis',
        pickup_date: '2031-05-06T10:00:00.000',
        pickup_location: 'QLA',
        dropoff_date: '2031-05-09T10:00:00.000Z',
        dropoff_location: 'QLA',
        country_code: 'US',
      });
      const asked = await context();
      const send = async () => asked.http.send({ method: 'GET', path: `/cars/catalog/v2/vehicles?${query}` });
      expect((await send()).status).toBe(200);
      query.delete(name);
      const refused = await send();
      expect(refused.status).toBe(400);
      expect(refused.body.toString()).toContain(`Missing required field '${name}'`);
    },
  );

  it('are the only resource at their path; anything else is 404 resource_failure', async () => {
    const asked = await context();
    expect(await asked.http.send({ method: 'POST', path: '/cars/catalog/v2/vehicles' })).toMatchObject({ status: 404 });
    expect(await asked.http.send({ method: 'GET', path: '/cars' })).toMatchObject({ status: 404 });
  });
});
