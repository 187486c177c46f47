import { describe, expect, it } from '@jest/globals';
import type { SupplierOffer, VehicleSearch } from '../../model/offers.js';
import { SupplierError } from '../../model/supplier.js';
import { oneWarning } from '../../model/warnings.js';
import type { Directive } from '../world.js';
import { connect, type Setup } from './fixtures/connection.js';

const search: VehicleSearch = {
  pickup: { iataCode: 'BOS', countryCode: 'US' },
  dropoff: { supplierCode: 'BO2', countryCode: 'US' },
  pickupDate: '2026-06-10T10:00:00',
  dropoffDate: '2026-06-13T10:00:00',
  countryCode: 'US',
  age: 35,
  brands: ['Alpine'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};

async function vehicles(setup: Setup = {}, asked: Partial<VehicleSearch> = {}) {
  const { adapter, context } = connect(setup);
  const answer = await adapter.searchVehicles?.({ ...search, ...asked }, context);
  return answer ?? { items: [], warnings: oneWarning('not_sent', 'the adapter lacks the operation') };
}

async function faultOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof SupplierError) return error.fault;
    throw error;
  }
  return 'none';
}

const summary = (offer: SupplierOffer) => [offer.vehicle.sippCode, offer.rate.payment, offer.price.total.amountMinor];

describe('OTA_VehAvailRate', () => {
  it('is mapped completely by the adapter without a warning, with totals that add up', async () => {
    const { items, warnings } = await vehicles();
    expect(warnings).toEqual([]);
    expect(items.map(summary)).toEqual([
      ['ECAR', 'pay_later', 17_111],
      ['ECAR', 'pay_now', 16_311],
      ['FFAE', 'pay_later', 17_111],
    ]);
    for (const { price } of items) {
      const counted = price.items
        .filter((item) => item.includedInTotal)
        .reduce((sum, item) => sum + item.amount.amountMinor, 0);
      expect(counted).toBe(price.total.amountMinor);
      expect(price.unitemised).toBeUndefined();
      expect(price.dueNow.amountMinor + price.dueAtCounter.amountMinor).toBe(price.total.amountMinor);
    }
  });

  it('prices and confirms the codes it knows, and prices members and additional drivers; an unknown code changes nothing', async () => {
    const found = async (asked: Partial<VehicleSearch>) => {
      const [offer] = (await vehicles({}, asked)).items;
      return [offer?.price.total.amountMinor, ...(offer?.rate.discountsApplied ?? [])];
    };
    const corporate = { type: 'corporate', value: 'CORP15' } as const;
    const promo = { type: 'promo', value: 'SAVE10' } as const;
    expect(await found({ discountCodes: [{ type: 'corporate', value: 'X9' }], loyalty: [{ number: 'M1' }] })).toEqual([
      17_111,
    ]);
    expect(await found({ discountCodes: [corporate] })).toEqual([15_611, 'CORP15']);
    expect(await found({ discountCodes: [{ type: 'promo', value: 'X9' }, promo] })).toEqual([16_111, 'SAVE10']);
    // The same price for another reason.
    expect(await found({ discountCodes: [{ type: 'promo', value: 'CORP15' }] })).toEqual([15_611, 'CORP15']);
    expect(await found({ loyalty: [{ program: 'Alpine', number: 'SIM7' }] })).toEqual([16_611]);
    expect(await found({ additionalDrivers: 2 })).toEqual([24_911]);
    expect(await found({})).toEqual([17_111]);
  });

  it('has charges, extras, coverages, deposit, cancellation deadline, distance and locations', async () => {
    const [later, now, electric] = (await vehicles()).items;
    expect(later).toMatchObject({
      brand: 'Alpine',
      status: 'available',
      vehicle: {
        name: 'Kia Rio',
        orSimilar: true,
        className: 'Economy',
        classCode: 'A',
        seats: 5,
        doors: 4,
        transmission: 'automatic',
      },
      pickup: {
        code: 'BOS',
        codeContext: 'iata',
        iataCode: 'BOS',
        name: 'Boston Logan & Pier',
        counter: 'in_terminal',
        afterHoursReturn: true,
      },
      dropoff: { code: 'BO2', codeContext: 'supplier', type: 'downtown' },
      rentalDays: 3,
      fuelPolicy: 'full_to_full',
      distancePolicy: [{ unlimited: true }],
      deposit: { amount: { amountMinor: 20_000, currency: 'USD' } },
      requirements: { minAge: 21 },
      cancellation: { refundable: true, freeUntil: '2026-06-08T10:00:00', source: 'structured' },
      extras: [
        {
          type: 'toddler_seat',
          priceTotal: { amountMinor: 3_000 },
          pricePerDay: { amountMinor: 1_300 },
          maxQuantity: 2,
        },
      ],
      coverages: [
        { type: 'loss_damage_waiver', included: true, excess: { amountMinor: 50_000 } },
        {
          type: 'personal_accident',
          included: false,
          priceTotal: { amountMinor: 2_100 },
          pricePerDay: { amountMinor: 700 },
        },
      ],
    });
    expect(later?.price.items.map((item) => item.kind)).toEqual(['rental', 'tax', 'one_way', 'airport', 'fee']);
    expect(later?.pickup.openingHours.slice(-2)).toEqual([
      { day: 'fri', open: '00:00', close: '24:00' },
      { day: 'sat', open: '00:00', close: '12:00' },
    ]);
    expect(now?.rate.type).toBe('prepaid');
    expect(now?.supplierRef.referenceId).not.toBe(later?.supplierRef.referenceId);
    expect(electric).toMatchObject({
      status: 'on_request',
      fuelPolicy: 'electric',
      distancePolicy: [{ included: { value: 250, unit: 'km' }, per: 'day' }],
      cancellation: { refundable: false },
    });
  });

  it('uses SOAP and extended codes in both directions, and a rate without an estimated total', async () => {
    const setup: Setup = {
      dialect: { envelope: 'soap11', locationTemplate: '{iata}T01', totalFrom: 'rate_plus_fees' },
      options: {
        envelope: 'soap11',
        locationCode: { context: 'OAG', template: '{iata}T01' },
        totalFrom: 'rate_plus_fees',
      },
    };
    const { items, warnings } = await vehicles(setup, { brands: ['Alpine', 'Alpine Plus'] });
    expect(warnings).toEqual([]);
    expect(items.map((offer) => [offer.brand, offer.price.total.amountMinor])).toEqual(
      ['Alpine', 'Alpine Plus'].flatMap((brand) => [17_111, 16_311, 17_111].map((total) => [brand, total])),
    );
    expect(items[0]?.pickup).toMatchObject({ code: 'BOST01', codeContext: 'oag', iataCode: 'BOS' });
    const again = await vehicles(setup, { pickup: { supplierCode: 'BOST01', countryCode: 'US' } });
    expect(again.items).toHaveLength(3);
  });

  it('is empty for unknown places and closed locations', async () => {
    expect(await vehicles({}, { pickup: { iataCode: 'XXX', countryCode: 'US' } })).toEqual({ items: [], warnings: [] });
    expect(await vehicles({}, { dropoff: { supplierCode: 'NO1', countryCode: 'US' } })).toEqual({
      items: [],
      warnings: [],
    });
    expect(await vehicles({}, { pickupDate: '2026-06-10T03:00:00' })).toEqual({
      items: [],
      warnings: oneWarning('incomplete', 'OTA_VehAvailRateRS has Success and nothing else, taken as empty'),
    });
    expect(await vehicles({ dialect: { emptyAs: 'error' } }, { pickupDate: '2026-06-10T03:00:00' })).toEqual({
      items: [],
      warnings: [],
    });
  });

  it.each([
    ['a pickup in the past in the time zone of the location', { pickupDate: '2026-05-01T07:59:00' }],
    ['a return before the pickup', { dropoffDate: '2026-06-09T10:00:00' }],
    ['an invalid date', { pickupDate: 'soon' }],
  ])('rejects %s', async (_name, asked) => {
    expect(await faultOf(vehicles({}, asked))).toBe('rejected');
  });

  it('accepts a pickup that is in the future there', async () => {
    expect((await vehicles({}, { pickupDate: '2026-05-01T08:01:00' })).items).toHaveLength(3);
  });
});

describe('scenario verbs', () => {
  const withVerb = (directive: Directive) => vehicles({ directive });

  it('change the cars: empty, sold_out, on_request and price', async () => {
    expect((await withVerb({ verb: 'empty' })).items).toEqual([]);
    expect((await withVerb({ verb: 'sold_out' })).items).toEqual([]);
    expect((await withVerb({ verb: 'on_request' })).items.every((offer) => offer.status === 'on_request')).toBe(true);
    expect((await withVerb({ verb: 'price', percent: 10 })).items[0]?.price.total.amountMinor).toBe(18_111);
  });

  it('refuse the call: auth and throttled', async () => {
    expect(await faultOf(withVerb({ verb: 'auth' }))).toBe('auth');
    expect(await faultOf(withVerb({ verb: 'throttled' }))).toBe('throttled');
  });

  it('leave the check of configured credentials in place', async () => {
    const dialect = { requestorId: 'me', password: 'secret' };
    expect((await vehicles({ dialect, credentials: dialect })).items).toHaveLength(3);
    expect(await faultOf(vehicles({ dialect, credentials: { requestorId: 'me', password: 'wrong' } }))).toBe('auth');
  });
});

describe('OTA_VehLocSearch', () => {
  const find = async (keyword: string, setup: Setup = {}) => {
    const { adapter, context } = connect(setup);
    const answer = await adapter.searchLocations?.({ keyword, countryCode: 'US', brands: ['Alpine'] }, context);
    return answer ?? { items: [], warnings: oneWarning('not_sent', 'no operation') };
  };

  it('finds locations by airport, own code and city, without a warning', async () => {
    for (const [keyword, codes] of [
      ['bos', ['BOS']],
      ['BO2', ['BO2']],
      ['boston', ['BOS', 'BO2']],
      ['nowhere', []],
    ] as const) {
      const { items, warnings } = await find(keyword);
      expect([items.map((location) => location.code), warnings]).toEqual([codes, []]);
    }
    expect((await find('boston')).items[0]).toMatchObject({
      address: { lines: ['1 Harborside "A"'], city: 'Boston', region: 'MA', postalCode: '02128', countryCode: 'US' },
      latitude: 42.36,
      phone: '(1) 617-555-0100',
    });
  });

  it('writes extended codes and finds locations by them', async () => {
    const setup: Setup = {
      dialect: { locationTemplate: '{iata}T01' },
      options: { locationCode: { context: 'OAG', template: '{iata}T01' } },
    };
    expect((await find('bos', setup)).items.map((location) => location.code)).toEqual(['BOST01']);
    expect((await find('BOST01', setup)).items.map((location) => location.iataCode)).toEqual(['BOS']);
  });
});

describe('requests that are not OTA', () => {
  const raw = (body: string, method = 'POST', path = '/ota') =>
    connect().simulator.answer({
      method,
      path,
      query: new URLSearchParams(),
      headers: {},
      body,
      directive: { verb: 'ok' },
    });

  it('are refused: other paths, methods, messages and plain text', () => {
    expect(raw('', 'POST', '/other').status).toBe(404);
    expect(raw('', 'GET').status).toBe(405);
    expect(raw('no xml').body).toContain('<Error Type="7"');
    expect(raw('<OTA_PingRQ/>').body).toContain('<OTA_PingRS');
    expect(raw('<OTA_PingRQ/>').body).toContain('<Error Type="2"');
    expect(raw('<OTA_VehAvailRateRQ EchoToken="e1"/>').body).toMatch(/EchoToken="e1".*<Error Type="10" Code="321"/);
  });
});
