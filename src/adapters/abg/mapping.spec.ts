import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { PriceItem, VehicleSearch } from '../../model/offers.js';
import { Warnings } from '../../model/warnings.js';
import { mapLocation } from './location-mapping.js';
import { mapOffers } from './offer-mapping.js';
import { mapPrice } from './price-mapping.js';
import { mapDistancePolicy, mapVehicle } from './vehicle-mapping.js';
import { group, list, type Wire } from './wire.js';

function fixture(name: string): Wire {
  return group(JSON.parse(readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')));
}

const gbp = (amountMinor: number) => ({ amountMinor, currency: 'GBP' });
const request: VehicleSearch = {
  pickup: { supplierCode: 'KSA', countryCode: 'GB' },
  dropoff: { supplierCode: 'KSB', countryCode: 'GB' },
  pickupDate: '2031-05-01T10:00:00',
  dropoffDate: '2031-05-04T11:00:00',
  countryCode: 'IE',
  age: 35,
  brands: ['Avis'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};
const item = (
  kind: PriceItem['kind'],
  description: string,
  amountMinor: number,
  payable: PriceItem['payable'],
  includedInTotal = true,
): PriceItem => ({
  kind,
  description,
  amount: gbp(amountMinor),
  unit: 'rental',
  quantity: 1,
  mandatory: includedInTotal,
  includedInTotal,
  payable,
});

describe('a location row', () => {
  const rows = list(fixture('locations-dirty.200.json').locations);
  it('of an airport is mapped completely', () => {
    expect(mapLocation(rows[0], { brand: 'Avis' })).toEqual({
      brand: 'Avis',
      code: 'XQA',
      codeContext: 'supplier',
      iataCode: 'XQA',
      name: 'Quarry Lake Intl Airport',
      type: 'airport',
      address: {
        lines: ['9 Arrivals Loop'],
        city: 'Quarry Lake',
        region: 'FL',
        postalCode: '32999',
        countryCode: 'US',
      },
      latitude: 27.250001,
      longitude: -80.500002,
      phone: '(1) 555-010-7700',
      openingHours: [
        { day: 'mon', open: '07:00', close: '12:00' },
        { day: 'mon', open: '13:30', close: '22:00' },
        { day: 'fri', open: '18:00', close: '24:00' },
        { day: 'sat', open: '00:00', close: '24:00' },
      ],
      specialHours: [
        { name: 'NEW YEARS DAY', slots: [] },
        { name: 'FOUNDERS DAY', from: '2031-05-06', to: '2031-05-07', slots: [{ open: '08:00', close: '16:00' }] },
      ],
      afterHoursReturn: true,
      services: ['skip_the_queue'],
      public: true,
    });
  });

  it('with older member names, hours as text and the queue inside the address', () => {
    const location = mapLocation(rows[1], { brand: 'Budget' });
    expect(location).toMatchObject({
      brand: 'Budget',
      code: 'Q7B',
      name: 'Downtown Quarry Lake',
      type: 'downtown',
      phone: '555010',
      address: { lines: ['41 Mill Street'], countryCode: 'US' },
      latitude: 27.2,
      longitude: -80.4,
      services: ['skip_the_queue'],
    });
    expect(location).not.toHaveProperty('iataCode');
    expect(location?.openingHours).toHaveLength(7);
    expect(location?.openingHours[2]).toEqual({ day: 'tue', open: '00:00', close: '24:00' });
  });

  it('closed to the public, without usable hours, coordinates or state', () => {
    expect(mapLocation(rows[2], { brand: 'Avis' })).toEqual({
      brand: 'Avis',
      code: 'QX9',
      codeContext: 'supplier',
      name: 'Closed to Public - Granite Works Only',
      type: 'other',
      address: { lines: ['Gate 4'], countryCode: 'GB' },
      openingHours: [],
      specialHours: [],
      services: [],
      public: false,
    });
  });
});

describe('the offers of an answer', () => {
  const body = fixture('vehicles-dirty.200.json');
  const warnings = new Warnings();
  const offers = mapOffers(
    body,
    list(body.vehicles),
    { brand: 'Avis', pickupCode: 'KSA', dropoffCode: 'KSB', discounts: { iataNumber: '77', unused: [] }, request },
    warnings,
  );
  const offer = (code: string) => offers.find((candidate) => candidate.rate.code === code);

  it('include one per payment type with a usable total; unsellable rows give warnings', () => {
    expect(offers.map((one) => `${one.rate.code} ${one.rate.payment} ${one.price.total.currency}`)).toEqual([
      'L4 pay_later GBP',
      'P9 pay_now GBP',
      'V1 pay_later INR',
      'Y2 pay_later GBP',
      'N3 pay_now GBP',
      'T1 pay_later GBP',
    ]);
    expect(warnings.list.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'row_dropped: vehicles[3] has no currency',
      'row_dropped: vehicles[4] has no usable pay_later total',
      'row_dropped: vehicles[5] has neither pay_later nor pay_now',
      'row_dropped: vehicles[7] is not an object',
      'row_dropped: vehicles[8] is not an object',
    ]);
  });

  it('are left out with a word for their status that is not known', () => {
    const odd = new Warnings();
    const question = { brand: 'Avis', pickupCode: 'KSA', dropoffCode: 'KSB', discounts: { unused: [] }, request };
    const statuses = ['Unavailable', 'On Request', 'available', ' '];
    const rows = statuses.map((vehicle_status) => {
      const row = list(body.vehicles)[0] as { readonly category: object };
      return { ...row, category: { ...row.category, vehicle_status } };
    });
    const shown = mapOffers(body, rows, question, odd).map(({ status }) => status);
    expect(new Set(shown)).toEqual(new Set(['on_request', 'available']));
    expect(odd.list.map(({ text }) => text)).toContain('vehicles[0] has an unknown vehicle_status');
  });

  it('pay later: individual taxes and fees explain the total exactly', () => {
    const later = offer('L4');
    expect(later).toMatchObject({
      brand: 'Avis',
      status: 'available',
      supplierRef: {
        brand: 'Avis',
        pickupCode: 'KSA',
        dropoffCode: 'KSB',
        countryCode: 'IE',
        iataNumber: '77',
        payment: 'pay_later',
        rateCode: 'L4',
        sippCode: 'ECMR',
        classCode: 'B',
        quoteId: 'q-77-a',
        vehicleName: expect.any(String),
      },
      rate: { code: 'L4', type: 'leisure', payment: 'pay_later', inclusive: false, discountsApplied: ['R900001'] },
      rentalDays: 3,
      fuelPolicy: 'full_to_full',
      distancePolicy: [{ unlimited: false, included: { value: 600, unit: 'mi' }, per: 'rental', overage: gbp(15) }],
      cancellation: { rules: [], source: 'unknown' },
      requirements: {},
      terms: [
        { kind: 'rental', url: 'https://terms.example.com/rental' },
        { kind: 'fuel_policy', text: 'FUEL POLICY IS FULL TO FULL' },
        { kind: 'disclaimer', text: 'LATE FEE MAY APPLY' },
      ],
    });
    expect(later?.price).toEqual({
      total: gbp(17010),
      base: gbp(10010),
      taxes: gbp(2050),
      fees: gbp(4950),
      oneWay: gbp(4000),
      dueNow: gbp(0),
      dueAtCounter: gbp(17010),
      items: [
        item('rental', 'Vehicle rental', 10010, 'counter'),
        item('tax', 'Local Tax', 2050, 'counter'),
        item('airport', 'Airport Surcharge', 950, 'counter'),
        item('one_way', 'One Way Fee', 4000, 'counter'),
        item('fee', 'Late Fee', 1500, 'counter', false),
      ],
      display: { amountMinor: 21263, currency: 'USD' },
    });
    expect(later).not.toHaveProperty('expiresAt');
  });

  it('pay now: its own totals are the items because the individual fees belong to pay later', () => {
    expect(offer('P9')?.price).toEqual({
      total: gbp(12775),
      base: gbp(9000),
      taxes: gbp(1825),
      fees: gbp(950),
      extras: gbp(500),
      coverages: gbp(700),
      discount: gbp(-200),
      dueNow: gbp(12775),
      dueAtCounter: gbp(0),
      items: [
        item('rental', 'Vehicle rental', 9000, 'now'),
        item('tax', 'Taxes', 1825, 'now'),
        item('fee', 'Fees', 950, 'now'),
        item('equipment', 'Extras', 500, 'now'),
        item('coverage', 'Coverages', 700, 'now'),
        item('discount', 'Discount', -200, 'now'),
        item('fee', 'Late Fee', 1500, 'counter', false),
      ],
      display: { amountMinor: 15969, currency: 'USD' },
    });
  });

  it('a total ten times the vehicle price: the unexplained rest is unitemised and nothing is recomputed', () => {
    const onRequest = offer('V1');
    expect(onRequest?.status).toBe('on_request');
    expect(onRequest?.supplierRef).toMatchObject({ onRequest: true, vehicleName: 'Volant X' });
    expect(offer('L4')?.supplierRef).not.toHaveProperty('onRequest');
    expect(onRequest?.rentalDays).toBe(4);
    expect(onRequest?.price).toMatchObject({
      total: { amountMinor: 2000000 },
      base: { amountMinor: 200000 },
      unitemised: { amountMinor: 1800000, currency: 'INR' },
    });
    expect(onRequest?.distancePolicy).toEqual([{ unlimited: true }]);
    expect(onRequest?.vehicle).toEqual({
      name: 'Volant X',
      make: 'Volant',
      model: 'X',
      orSimilar: false,
      classCode: 'C',
      className: 'Compact',
      doors: '2-4',
      imageUrl: 'https://img.example.com/C.png',
      transmission: 'automatic',
      fuel: 'diesel',
    });
  });

  it('a young driver fee has its amount, fees and their sum give the taxes, and the applied coupon is used', () => {
    const young = offer('Y2');
    expect(young?.requirements).toEqual({ youngDriverFee: gbp(3300) });
    expect(young?.rate.discountsApplied).toEqual(['PLUME20']);
    expect(young?.price).toMatchObject({ taxes: gbp(2000), fees: gbp(3300) });
    expect(young?.price.unitemised).toBeUndefined();
    expect(young?.vehicle.sippCode).toBe('CDAD');
  });

  it('a surcharge for young drivers besides the total is mandatory only if ABG says that it applies', () => {
    const shown = (applied?: boolean) => {
      const fees = [{ name: 'Under Age Surcharge', amount: 140, included_in_total: false }];
      const rate = { currency: 'GBP', under_age_fee_applied: applied, taxes_fees: { fees } };
      const question = { brand: 'Avis', pickupCode: 'KSA', dropoffCode: 'KSB', discounts: { unused: [] }, request };
      const row = { rate_totals: { rate, pay_later: { reservation_total: 100 } } };
      const [one] = mapOffers({}, [row], question, new Warnings());
      return [
        one?.price.items[0]?.mandatory,
        one?.requirements.youngDriverFee,
        one?.supplierRef.underAge,
        one?.supplierRef.age,
      ];
    };
    expect(shown(true)).toEqual([true, gbp(14_000), true, 35]);
    for (const applied of [false, undefined]) expect(shown(applied)).toEqual([false, undefined, undefined, 35]);
  });

  it('a single sum of taxes and fees stays one item; an invalid SIPP code is absent', () => {
    const plain = offer('T1');
    expect(plain?.price.items).toEqual([
      item('rental', 'Vehicle rental', 5000, 'counter'),
      item('tax', 'Taxes and fees', 1000, 'counter'),
    ]);
    expect(plain?.price.taxes).toBeUndefined();
    expect(plain?.vehicle.sippCode).toBeUndefined();
  });

  it.each<[string, object, object, readonly string[]]>([
    ['only repeated beside the vehicles', {}, {}, []],
    ['that the rate states', { discount: { code: 'R1' } }, {}, ['R1']],
    ['repeated, with a total below the original one', {}, { original_reservation_total: 120 }, ['R1']],
    [
      'repeated, with a vehicle total below the original one',
      {},
      { vehicle_total: 80, original_vehicle_total: '90' },
      ['R1'],
    ],
    ['repeated, with an unchanged original total', {}, { original_reservation_total: 100 }, []],
    [
      'next to a coupon that explains the lower total',
      { coupon_applied: true },
      { original_reservation_total: 120 },
      ['C1'],
    ],
    [
      'and coupon that the rate states',
      { discount: { code: 'R1' }, coupon: { code: 'C2', coupon_applied: true } },
      {},
      ['R1', 'C2'],
    ],
    ['next to a coupon that was not applied', { coupon_applied: false, coupon: { code: 'C1' } }, {}, []],
  ])('a code counts as applied only if ABG confirms it: a discount code %s', (_case, rate, pay, applied) => {
    const row = {
      rate_totals: { rate: { currency: 'GBP', ...rate }, pay_later: { reservation_total: 100, ...pay } },
    };
    const discounts = { discountCode: 'R1', couponCode: 'C1', unused: [] };
    const question = { brand: 'Avis', pickupCode: 'KSA', dropoffCode: 'KSB', discounts, request };
    const answer = { discount: { code: 'R1' }, coupon: { code: 'C1' } };
    expect(mapOffers(answer, [row], question, new Warnings())[0]?.rate.discountsApplied).toEqual(applied);
  });

  it('carry a vehicle name of at most 40 characters in the ref because it is part of the offer id', () => {
    const row = {
      category: { name: 'Talon Grand Touring Executive Long Wheelbase Estate' },
      rate_totals: { rate: { currency: 'GBP' }, totals: { reservation_total: 1 } },
    };
    const question = {
      brand: 'Avis',
      pickupCode: 'KSA',
      dropoffCode: 'KSB',
      discounts: { unused: [] },
      request,
    };
    expect(mapOffers({}, [row], question, new Warnings())[0]?.supplierRef.vehicleName).toBe(
      'Talon Grand Touring Executive Long Wheel',
    );
  });

  it('share one pickup and one dropoff object', () => {
    expect(new Set(offers.map((one) => one.pickup)).size).toBe(1);
    expect(new Set(offers.map((one) => one.dropoff)).size).toBe(1);
    expect(offers[0]?.pickup).toMatchObject({
      code: 'KSA',
      iataCode: 'KSA',
      phone: '(44) 20 5550 100',
      address: { lines: ['Terminal Road'] },
    });
    expect(offers[0]?.pickup.openingHours).toHaveLength(7);
    expect(offers[0]?.dropoff.code).toBe('KSB');
  });
});

describe('single rules', () => {
  it('a total alone has no items and no unitemised rest', () => {
    expect(mapPrice({}, 'pay_now', gbp(8800), [], undefined)).toEqual({
      total: gbp(8800),
      dueNow: gbp(8800),
      dueAtCounter: gbp(0),
      items: [],
    });
  });

  it('items exceeding the total leave a negative rest', () => {
    expect(mapPrice({ vehicle_total: 90 }, 'pay_now', gbp(8800), [], undefined).unitemised).toEqual(gbp(-200));
  });

  it('a vehicle without any text still has a name', () => {
    expect(mapVehicle({})).toEqual({ name: 'Vehicle', orSimilar: false });
    expect(mapVehicle({ category: { make: 'Talon', model: 500 } }).name).toBe('Talon 500');
    expect(mapVehicle({ category: { name: 'Group A - Talon 500 or similar', vehicle_class_code: 'A' } })).toMatchObject(
      {
        name: 'Talon 500',
        orSimilar: true,
      },
    );
  });

  it('a distance limit without numbers stays without numbers', () => {
    const warnings = new Warnings();
    expect(mapDistancePolicy({ unlimited_distance: false, distance_unit: 'Mile' }, 'GBP', warnings)).toEqual([
      { unlimited: false },
    ]);
    expect(
      mapDistancePolicy(
        { unlimited_distance: false, distance_unit: 'Kilometers', distance_covered: '900' },
        'EUR',
        warnings,
      ),
    ).toEqual([{ unlimited: false, included: { value: 900, unit: 'km' }, per: 'rental' }]);
    expect(mapDistancePolicy(undefined, 'GBP', warnings)).toEqual([]);
  });
});
