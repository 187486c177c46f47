import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { SupplierOffer, VehicleSearch } from '../../model/offers.js';
import { onlyRequested } from '../../suppliers/answers/requested.js';
import { createRestAdapter } from './adapter.js';
import { answered, scripted } from './fixtures/replies.js';
import { shippedAdapter, shippedSettings } from './fixtures/shipped.js';

const adapter = shippedAdapter('dune');
const search: VehicleSearch = {
  pickup: { supplierCode: 'QLA', countryCode: 'US' },
  dropoff: { supplierCode: 'Q7B', countryCode: 'US' },
  pickupDate: '2031-05-06T10:00:00',
  dropoffDate: '2031-05-09T10:00:00',
  countryCode: 'US',
  age: 23,
  brands: ['Dune'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};
const found = await adapter.searchVehicles?.(search, scripted(answered('dune/vehicles.200.json')));
const usd = (amountMinor: number) => ({ amountMinor, currency: 'USD' });

function offer(index: number): SupplierOffer {
  const item = found?.items[index];
  if (!item) throw new Error(`there is no offer ${index}`);
  return item;
}

it('the total in the requested currency is the one that the supplier converted, never our own', async () => {
  const settings = shippedSettings('dune');
  const { offer, ...options } = settings.options as { readonly offer: { readonly price: object } };
  const display = { amount: "'91.10'", currency: "'EUR'" };
  const convert = (more: object) =>
    createRestAdapter({
      ...settings,
      options: { ...options, offer: { ...offer, price: { ...offer.price, ...more } } },
    });
  const displays = async (more: object) =>
    (await convert(more).searchVehicles?.(search, scripted(answered('dune/vehicles.200.json'))))?.items.map(
      ({ price }) => price.display,
    );
  expect(await displays({ display })).toEqual(Array(2).fill({ amountMinor: 9_110, currency: 'EUR' }));
  expect(await displays({})).toEqual([undefined, undefined]);
  expect(await displays({ display: { ...display, currency: "'Euro'" } })).toEqual([undefined, undefined]);
});

it('cards and changes are those that the answer states; without them there are none', async () => {
  const settings = shippedSettings('dune');
  const { offer, ...options } = settings.options as { readonly offer: object };
  const offersWith = async (more: object) =>
    (await createRestAdapter({ ...settings, options: { ...options, offer: { ...offer, ...more } } }).searchVehicles?.(
      search,
      scripted(answered('dune/vehicles.200.json')),
    )) ?? { items: [] };
  const [stated] = (
    await offersWith({
      acceptedCards: "['Visa', 'American Express', 'Loyalty', 'visa']",
      creditCardRequired: '`true`',
      changes: { allowed: '`false`', penalty: 'nothing' },
    })
  ).items;
  expect(stated).toMatchObject({
    requirements: { acceptedCards: ['visa', 'american_express', 'other'], creditCardRequired: true },
    changes: { allowed: false },
  });
  const [silent] = (await offersWith({ changes: { allowed: 'nothing' } })).items;
  expect([silent?.changes, silent?.requirements.acceptedCards, silent?.requirements.creditCardRequired]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

describe('stated dates and codes', () => {
  const answer = JSON.parse(
    readFileSync(new URL('./fixtures/dune/vehicles.200.json', import.meta.url), 'utf8'),
  ) as object;
  const offersFor = async (more: object, mapping: object = {}) => {
    const settings = shippedSettings('dune');
    const options = settings.options as { readonly offer: object };
    const changed = createRestAdapter({
      ...settings,
      options: { ...options, offer: { ...options.offer, ...mapping } },
    });
    return (
      (await changed.searchVehicles?.(search, scripted({ status: 200, body: { ...answer, ...more } })))?.items ?? []
    );
  };
  const datesOf = (offers: readonly SupplierOffer[]) =>
    new Set(offers.map(({ pickupDate, dropoffDate }) => `${pickupDate} ${dropoffDate}`));

  it('dates are those that the supplier states, so the engine rejects an answer for other dates', async () => {
    const items = await offersFor({ from: '2031-06-06T10:00:00', to: '2031-06-09T10:00:00' });
    expect(datesOf(items)).toEqual(new Set(['2031-06-06T10:00:00 2031-06-09T10:00:00']));
    expect(() => onlyRequested('searchVehicles', search, { items, warnings: [] })).toThrow(
      'nothing in the answer is for the request: item 0 left out: pickupDate 2031-06-06T10:00:00',
    );
  });

  it.each([{}, { from: null, to: null }])(
    'dates that the supplier does not state (%j) are those requested',
    async (more) => {
      expect(datesOf(await offersFor(more))).toEqual(new Set([`${search.pickupDate} ${search.dropoffDate}`]));
    },
  );

  it.each([
    ['pickupDate', { from: 'soon' }],
    ['dropoffDate', { to: 7 }],
    ['dropoffDate', { to: '2031-02-30T10:00:00' }],
  ])('%s is never replaced if it is unreadable: %j', async (field, more) => {
    await expect(offersFor(more)).rejects.toThrow(`unreadable: ${field}`);
  });

  it('codes count as applied only if the supplier lists them', async () => {
    const codesOf = async (codes: unknown) =>
      (await offersFor({ codes }, { discountsApplied: '$answer.codes' })).map(({ rate }) => rate.discountsApplied);
    expect(await codesOf(['SUMMER', ' AWD1 ', 7])).toEqual(Array(2).fill(['SUMMER', 'AWD1']));
    expect(await codesOf('SUMMER')).toEqual([[], []]);
    expect(await codesOf(undefined)).toEqual([[], []]);
  });
});

describe('an answer', () => {
  it('becomes offers in the same order; an unreadable row is a warning', () => {
    expect(found?.items.map(({ supplierRef }) => supplierRef)).toEqual([
      { rateId: 'rate-one', pickupCode: 'QLA', dropoffCode: 'Q7B' },
      { rateId: 'rate-two', pickupCode: 'QLA', dropoffCode: 'Q7B' },
    ]);
    expect(found?.warnings.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'row_dropped: vehicles[2] is unreadable: payment',
      'row_dropped: vehicles[3] is unreadable: price.total',
      'row_dropped: extras: a row without code or name left out',
    ]);
  });

  it('shares stations, extras and terms among all offers', () => {
    expect(offer(0).pickup).toBe(offer(1).pickup);
    expect(offer(0).extras).toBe(offer(1).extras);
    expect(offer(0).dropoff.code).toBe('Q7B');
    expect(offer(0).terms).toEqual([{ kind: 'rental_conditions', url: 'https://terms.example.com/us' }]);
  });

  it('maps extras to our words, without duplicates; unknown ones are other', () => {
    expect(offer(0).extras).toEqual([
      {
        code: 'CHILD_SEAT',
        type: 'toddler_seat',
        name: 'Child safety seat',
        pricePerDay: usd(1_300),
        priceTotal: usd(3_900),
        maxQuantity: 3,
        mandatory: false,
      },
      { code: 'SURFBOARD', type: 'other', name: 'Surfboard', maxQuantity: 1, mandatory: false },
    ]);
  });
});

describe('a vehicle with all members', () => {
  it('is mapped completely', () => {
    expect(offer(0)).toMatchObject({
      brand: 'Dune',
      status: 'available',
      rentalDays: 3,
      pickupDate: '2031-05-06T10:00:00',
      dropoffDate: '2031-05-09T10:00:00',
      rate: { payment: 'pay_now' },
      fuelPolicy: 'full_to_full',
      deposit: { amount: usd(20_000), takenAt: 'pickup' },
      distancePolicy: [{ unlimited: false, included: { value: 250, unit: 'km' }, per: 'day', overage: usd(9) }],
      requirements: { minAge: 21, youngDriverFee: usd(2_700) },
    });
    expect(offer(0).vehicle).toEqual({
      sippCode: 'ECMR',
      name: 'Talon 500',
      make: 'Talon',
      model: '500',
      orSimilar: true,
      classCode: 'A',
      className: 'Economy',
      seats: 5,
      doors: 4,
      bagsLarge: 1,
      bagsSmall: 2,
      transmission: 'manual',
      airConditioning: true,
      fuel: 'petrol',
    });
    expect(offer(0).coverages).toEqual([
      {
        code: 'CDW',
        type: 'collision_damage_waiver',
        name: 'Collision damage waiver',
        included: true,
        mandatory: false,
        excess: usd(130_000),
      },
      {
        code: 'PAI',
        type: 'personal_accident',
        name: 'Personal accident insurance',
        included: false,
        mandatory: false,
        pricePerDay: usd(700),
        priceTotal: usd(2_100),
      },
    ]);
  });

  it("keeps the supplier's total, itemizes it and shows the unexplained rest", () => {
    const { items, ...price } = offer(0).price;
    expect(price).toEqual({
      total: usd(25_500),
      base: usd(15_000),
      taxes: usd(1_400),
      fees: usd(6_299),
      oneWay: usd(2_000),
      extras: usd(2_600),
      dueNow: usd(25_500),
      dueAtCounter: usd(0),
      unitemised: usd(201),
    });
    expect(
      items.map(
        (item) => `${item.kind} ${item.code} ${item.amount.amountMinor} ${item.payable} ${item.unit} ${item.quantity}`,
      ),
    ).toEqual([
      'rental undefined 15000 now rental 1',
      'one_way ONE_WAY 2000 now rental 1',
      'young_driver YOUNG_DRIVER 2700 now rental 1',
      'airport AIRPORT 1500 now percent 10',
      'fee TOLLS 695 counter rental 1',
      'other MOON_DUST 99 now rental 1',
      'tax TAX 1400 now percent 6.6',
      'equipment CHILD_SEAT 2600 now rental 2',
    ]);
    expect(items.filter(({ includedInTotal }) => !includedInTotal).map(({ code }) => code)).toEqual(['TOLLS']);
  });

  it('can be cancelled free until the stated instant in the earliest zone of its country, then for a fee', () => {
    // Its airport is not a real one, so its zone may be that of Honolulu.
    expect(offer(0).cancellation).toEqual({
      refundable: true,
      freeUntil: '2031-05-03T22:00:00',
      rules: [{ from: '2031-05-03T22:00:00', fee: usd(5_000) }],
      source: 'structured',
    });
  });
});

describe('a vehicle with few members', () => {
  it('is offered without guessed values', () => {
    expect(offer(1)).toMatchObject({
      status: 'on_request',
      rate: { payment: 'pay_later' },
      fuelPolicy: 'unknown',
      coverages: [],
    });
    expect(offer(1).vehicle).toEqual({ name: 'Vehicle', orSimilar: false });
    expect(offer(1).price).toEqual({ total: usd(9_900), dueNow: usd(0), dueAtCounter: usd(9_900), items: [] });
    expect(offer(1).distancePolicy).toEqual([{ unlimited: true }]);
    expect(offer(1).cancellation).toEqual({ refundable: false, rules: [{ fee: usd(9_900) }], source: 'structured' });
    expect(offer(1).deposit).toBeUndefined();
    expect(offer(1).requirements).toEqual({});
  });
});
