import { describe, expect, it } from '@jest/globals';
import type { PriceItem, VehicleSearch } from '../../model/offers.js';
import { SupplierError } from '../../model/supplier.js';
import { scripted } from './fixtures/replies.js';
import { adapterOf, location } from './fixtures/tiny.js';

/* What is stated but can't be read is never replaced by a default (ruling 30). */

const offer = {
  rows: 'cars',
  ref: { no: 'no' },
  currency: "'EUR'",
  rentalDays: '`3`',
  pickup: 'at || $answer.at',
  dropoff: 'at || $answer.at',
  payment: "'pay_later'",
  status: 'status',
  vehicle: { name: "'Car'" },
  price: {
    total: "total || '300.00'",
    items: [
      {
        ...{ rows: 'charges', kind: 'kind', code: 'code', description: 'name', amount: 'amount' },
        ...{ includedInTotal: 'included', optional: 'optional', percent: 'percent', quantity: 'quantity' },
      },
    ],
  },
  distance: { unlimited: 'unlimited', included: 'distance', unit: "'km'", per: 'per' },
  coverages: { rows: 'covers', code: 'code', name: 'name', included: 'included' },
  extras: { rows: 'extras', code: 'code', name: 'name' },
  creditCardRequired: 'card',
  terms: { rows: 'terms', kind: "'conditions'", text: '@' },
};
const search: VehicleSearch = {
  ...{ pickup: { supplierCode: 'B', countryCode: 'NO' }, dropoff: { supplierCode: 'B', countryCode: 'NO' } },
  ...{ pickupDate: '2031-05-06T10:00:00', dropoffDate: '2031-05-09T10:00:00', countryCode: 'NO', age: 40 },
  ...{ brands: ['Tiny'], sippCodes: [], discountCodes: [], loyalty: [], additionalDrivers: 0 },
};

/** The first of two cars, if it can be read, and the warnings. */
async function found(car: object, options: object = {}) {
  const adapter = adapterOf({
    ...{ location, offer, searchVehicles: { request: { method: 'GET', path: '/cars' } } },
    ...options,
  });
  const body = {
    at: { code: 'B', name: 'Bergen', country: 'NO' },
    cars: [
      { no: 1, ...car },
      { no: 2, total: 300 },
    ],
  };
  const answer = await adapter.searchVehicles?.(search, scripted({ status: 200, body: JSON.stringify(body) }));
  return {
    offer: answer?.items.find(({ supplierRef }) => supplierRef.no === 1),
    warnings: answer?.warnings.map(({ text }) => text),
  };
}

const fee = { kind: 'airport', code: 'APT', name: 'Airport fee', amount: '75.00' };

/** The item of the fee with these members. */
async function charged(charge: object): Promise<PriceItem | undefined> {
  const { offer } = await found({ charges: [{ ...fee, ...charge }] });
  return offer?.price.items[0];
}

describe('whether a charge is in the total, and whether it is optional', () => {
  it.each([false, 0, '0', 'false', 'False', 'FALSE', 'no', 'No', 'NO', 'n', 'N', 'f', 'F', ' false '])(
    '%j is no',
    async (word) => {
      expect(await charged({ included: word, optional: word })).toMatchObject({
        includedInTotal: false,
        mandatory: true,
      });
    },
  );

  it.each([true, 1, '1', 'true', 'True', 'TRUE', 'yes', 'Yes', 'YES', 'y', 'Y', 't', 'T'])(
    '%j is yes',
    async (word) => {
      expect(await charged({ included: word, optional: word })).toMatchObject({
        includedInTotal: true,
        mandatory: false,
      });
    },
  );

  it.each([undefined, null, '', ' ', []])('%j is not stated: included and mandatory', async (word) => {
    expect(await charged({ included: word, optional: word })).toMatchObject({ includedInTotal: true, mandatory: true });
  });

  it.each(['excluded', 'N/A', 2, -1, [false], {}])('%j is unreadable, and so is the car', async (word) => {
    for (const member of ['included', 'optional']) {
      const { offer, warnings } = await found({ charges: [{ ...fee, [member]: word }] });
      expect(offer).toBeUndefined();
      expect(warnings?.[0]).toMatch(/^cars\[0\] is unreadable: the amount "75.00" has an unreadable "(incl|opt)/);
      const quoted = typeof word === 'object' ? 'a list or object' : JSON.stringify(word);
      expect(warnings?.[1]).toBe(`${member} is ${quoted}, neither true nor false`);
    }
  });

  it('is not needed for a charge of nothing', async () => {
    const { offer } = await found({ charges: [{ ...fee, amount: 0, included: '?' }] });
    expect(offer?.price.items).toEqual([]);
  });
});

describe('the other flags', () => {
  it.each([
    ['Yes', true],
    ['No', false],
    [undefined, undefined],
    [' ', undefined],
    [[], undefined],
    ['Visa only', true],
    [['credit'], true],
  ])('a credit card is required: %j is %s', async (card, expected) => {
    expect((await found({ card })).offer?.requirements.creditCardRequired).toBe(expected);
  });

  it.each<[unknown, string]>([
    ['Visa only', '"Visa only"'],
    [['credit'], 'a list or object'],
  ])('has a warning if it says %j of the credit card', async (card, quoted) => {
    expect((await found({ card })).warnings).toEqual([`card is ${quoted}, neither true nor false`]);
  });

  it.each(['status', 'unlimited', 'distance'])('has no "%s" if a filter finds none', async (member) => {
    const { offer, warnings } = await found({ [member]: [] });
    expect([offer?.status, offer?.distancePolicy, warnings]).toEqual(['available', [], []]);
  });

  it('leaves out, with a warning, a coverage of which it is unclear whether it is included', async () => {
    const covers = [
      { code: 'CDW', name: 'Damage', included: 'True' },
      { code: 'TP', name: 'Theft', included: 'partly' },
    ];
    const { offer, warnings } = await found({ covers });
    expect(offer?.coverages.map(({ code, included }) => [code, included])).toEqual([['CDW', true]]);
    expect(warnings).toEqual(['included is "partly", neither true nor false']);
  });
});

describe('the name of a charge', () => {
  it.each<[string, object, string]>([
    ['its kind, if it has none', { name: null }, 'Airport'],
    ['its kind, if it is blank', { name: ' ', kind: 'one_way' }, 'One way'],
    ['its code, if its kind is unknown', { name: undefined, kind: 'APTX' }, 'APT'],
    ['that of any charge otherwise', { name: {}, kind: null, code: null }, 'Other charge'],
    ['shortened, if it is long', { name: `${'x'.repeat(998)}😀😀` }, `${'x'.repeat(998)}…`],
    ['complete up to 1,000 characters', { name: 'x'.repeat(1_000) }, 'x'.repeat(1_000)],
  ])('is %s', async (_case, charge, description) => {
    expect(await charged({ included: false, ...charge })).toMatchObject({
      ...{ description, includedInTotal: false },
      amount: { amountMinor: 7_500, currency: 'EUR' },
    });
  });

  it('does not matter if its amount is unreadable', async () => {
    expect(await charged({ name: null, amount: '75,00' })).toBeUndefined();
  });

  it('is missing in sums of the other charges: they are left out, with a warning', async () => {
    const { offer, warnings } = await found({ charges: [fee, { amount: '225.00' }, { amount: '300.00' }] });
    expect(offer?.price.items.map(({ code }) => code)).toEqual(['APT']);
    expect(offer?.price.unitemised).toEqual({ amountMinor: 22_500, currency: 'EUR' });
    expect(warnings).toEqual(['price: rows without a name left out: with them, the items are more than the total']);
    const besides = await found({ charges: [fee, { amount: '300.00' }, { amount: '75.00', included: false }] });
    expect(besides.offer?.price.items.map(({ amount }) => amount.amountMinor)).toEqual([7_500, 7_500]);
    const fitting = await found({ charges: [fee, { amount: '225.00' }] });
    expect([fitting.offer?.price.items.length, fitting.warnings]).toEqual([2, []]);
  });

  it('of an extra or coverage is shortened too, and one without any is left out with a warning', async () => {
    const rows = [{ code: 'A', name: 'x'.repeat(1_001), included: true }, { code: 'B' }];
    const { offer, warnings } = await found({ extras: rows, covers: rows });
    expect(offer?.extras.map(({ name }) => name)).toEqual([`${'x'.repeat(999)}…`]);
    expect(offer?.coverages.map(({ name }) => name)).toEqual([`${'x'.repeat(999)}…`]);
    expect(warnings).toEqual([
      'coverages: a row without code or name left out',
      'extras: a row without code or name left out',
    ]);
  });
});

it.each<[string, string]>([
  ['\u0001Page 1\f\n\tPage 2\u007f', 'Page 1 \n\tPage 2'],
  ['no \ud83d car', 'no \ufffd car'],
  ['x'.repeat(200_001), 'x'.repeat(200_000)],
])('a term is kept without what the engine refuses (%#)', async (text, kept) => {
  const { offer } = await found({ terms: [text] });
  expect(offer?.terms.map((term) => term.text).join('')).toBe(kept);
});

it.each(['20.00', '-20.00'])('a discount of %s lowers the price', async (amount) => {
  const { offer } = await found({
    charges: [
      { kind: 'rental', name: 'Rental', amount: '320.00' },
      { kind: 'discount', name: 'Discount', amount },
    ],
  });
  expect(offer?.price).toMatchObject({
    discount: { amountMinor: -2_000, currency: 'EUR' },
    items: [{ amount: { amountMinor: 32_000 } }, { kind: 'discount', amount: { amountMinor: -2_000 } }],
  });
  expect(offer?.price.unitemised).toBeUndefined();
});

describe('quantities are in the notation of the amounts', () => {
  const continental = { thousands: '.', decimal: ',' };

  it.each<[unknown, unknown, number | undefined]>([
    [continental, '1.000', 1_000],
    [continental, '1.250,5', 1_250.5],
    [continental, '250', 250],
    [continental, 250.5, 250.5],
    [continental, '1,000,000', undefined],
    [{ thousands: ',' }, '1,000', 1_000],
    [{ decimal: '.' }, '1.000', 1],
    ['decimal', '250.5', 250.5],
    ['decimal', '1.000', undefined],
    ['decimal', '1,000', undefined],
    ['minor', '1.000', undefined],
    ['minor', '250', 250],
    ['decimal', '-1', undefined],
  ])('money: %j reads %j km as %s', async (money, distance, value) => {
    const { offer, warnings } = await found({ total: 300, unlimited: false, distance }, { money });
    expect(offer?.distancePolicy[0]?.included?.value).toBe(value);
    expect(warnings).toEqual(value === undefined ? ['distance: the included distance is unreadable'] : []);
  });

  it('also those of a charge', async () => {
    const charges = [{ ...fee, amount: '75,00', percent: '7,5' }];
    const { offer } = await found({ total: 300, charges }, { money: continental });
    expect(offer?.price.items[0]).toMatchObject({ unit: 'percent', quantity: 7.5 });
  });

  it.each([
    ['decimal', '1.000', undefined],
    [continental, '1.000', 1_000],
    [continental, '3,00', 3],
    ['decimal', '3.5', undefined],
    ['decimal', '123456789012345', 123_456_789_012_345],
  ])('money: %j counts %j as %s days', async (money, days, rentalDays) => {
    const { offer: found_ } = await found({ total: 300, days }, { money, offer: { ...offer, rentalDays: 'days' } });
    expect(found_?.rentalDays).toBe(rentalDays);
  });

  it('but not coordinates', async () => {
    const at = { code: 'B', name: 'Bergen', country: 'NO', lat: '60.290', lon: '5.228' };
    const placed = { ...location, latitude: 'lat', longitude: 'lon' };
    const { offer } = await found({ total: 300, at }, { money: continental, location: placed });
    expect([offer?.pickup.latitude, offer?.pickup.longitude]).toEqual([60.29, 5.228]);
  });
});

describe('an included distance', () => {
  it.each<[string, object, object[]]>([
    ['is for the rental unless stated', { distance: 300 }, [{ included: { value: 300, unit: 'km' }, per: 'rental' }]],
    ['per day', { distance: 300, per: 'day' }, [{ included: { value: 300, unit: 'km' }, per: 'day' }]],
    ['is unknown per unknown period', { distance: 300, per: 'fortnight' }, []],
    ['is unknown if it may be unlimited', { distance: 300, unlimited: 'maybe' }, []],
    ['is limited in any case', { unlimited: 'No', distance: 300, per: 'fortnight' }, [{ unlimited: false }]],
  ])('%s', async (_case, car, expected) => {
    const { offer, warnings } = await found(car);
    expect(offer?.distancePolicy.map(({ included, per, unlimited }) => ({ included, per, unlimited }))).toMatchObject(
      expected,
    );
    expect(offer?.distancePolicy).toHaveLength(expected.length);
    expect(warnings).toHaveLength('per' in car && car.per !== 'day' ? 1 : 'unlimited' in car ? 1 : 0);
  });
});

describe('the status of an offer', () => {
  it.each([
    [undefined, 'available'],
    [null, 'available'],
    ['', 'available'],
    ['F', 'available'],
    ['R', 'on_request'],
  ])('%j is %s', async (status, expected) => {
    const options = { tables: { offerStatus: { F: 'available', R: 'on_request' } } };
    expect((await found({ status }, options)).offer?.status).toBe(expected);
  });

  it.each(['REQ', 'AVAILABLE', 7, {}])('%j is unknown, and the car unreadable', async (status) => {
    const { offer, warnings } = await found({ status });
    expect([offer, warnings]).toEqual([undefined, ['cars[0] is unreadable: status']]);
  });

  it('is never that of the offer that was shown if the supplier states another one', async () => {
    const checking = adapterOf({
      ...{ location, offer, searchVehicles: { request: { method: 'GET', path: '/cars' } } },
      priceCheck: { request: { method: 'GET', path: '/price' } },
    });
    const body = { at: { code: 'B', name: 'Bergen', country: 'NO' }, cars: [{ no: 1, status: 'CLOSED' }] };
    const check = { ...search, brand: 'Tiny', ref: { no: 1 }, extras: [], coverages: [], status: 'available' } as never;
    const answer = checking.priceCheck?.(check, scripted({ status: 200, body: JSON.stringify(body) }));
    await expect(answer).rejects.toThrow(SupplierError);
  });
});

describe('the country of a place', () => {
  it.each([
    ['NO', 'NO'],
    ['gb', 'GB'],
    ['UK', 'GB'],
    ['uk', 'GB'],
    ['EL', 'GR'],
    [' no ', 'NO'],
  ])('%j is %s', async (country, expected) => {
    const { offer } = await found({ at: { code: 'B', name: 'Bergen', country } });
    expect(offer?.pickup.address.countryCode).toBe(expected);
  });

  it.each(['GBR', 'Norway', '', null])('%j is unreadable', async (country) => {
    const { offer, warnings } = await found({ at: { code: 'B', name: 'Bergen', country } });
    expect([offer, warnings]).toEqual([undefined, ['cars[0] is unreadable: pickup.countryCode']]);
  });

  it('the code of an airport may be in lower case too', async () => {
    const placed = { ...location, iataCode: 'iata' };
    const at = { code: 'B', name: 'Bergen', country: 'no', iata: 'bgo' };
    expect((await found({ at }, { location: placed })).offer?.pickup.iataCode).toBe('BGO');
  });
});
