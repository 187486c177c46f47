import { describe, expect, it } from '@jest/globals';
import type { BookingKey, BookRequest, ModifyRequest } from '../../model/bookings.js';
import { sampleBooking } from '../../model/fixtures/sample-booking.js';
import type { SupplierOffer, VehicleSearch } from '../../model/offers.js';
import { oneWarning } from '../../model/warnings.js';
import { createRestAdapter } from './adapter.js';
import { answered, outcomeOf, scripted } from './fixtures/replies.js';
import { shippedAdapter, shippedSettings } from './fixtures/shipped.js';

const adapter = shippedAdapter('ember');
const usd = (amountMinor: number) => ({ amountMinor, currency: 'USD' });
const search: VehicleSearch = {
  pickup: { supplierCode: '11', countryCode: 'US' },
  dropoff: { iataCode: 'QLB', countryCode: 'US' },
  pickupDate: '2031-05-06T10:00:00',
  dropoffDate: '2031-05-09T10:30:00',
  countryCode: 'US',
  age: 23,
  brands: ['Ember'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};

describe('depots', () => {
  it('are read from numbers, minutes and text coordinates; invalid values are left out', async () => {
    const asked = scripted(answered('ember/depots.200.json'));
    expect(await adapter.searchLocations?.({ keyword: 'Quarry', countryCode: 'US', brands: ['Ember'] }, asked)).toEqual(
      {
        items: [
          {
            brand: 'Ember',
            code: '11',
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
              { day: 'sun', open: '08:30', close: '13:00' },
            ],
            specialHours: [],
            afterHoursReturn: true,
            services: ['skip_the_queue'],
            public: true,
          },
          {
            brand: 'Ember',
            code: '12',
            codeContext: 'supplier',
            name: 'Quarry Lake Downtown',
            type: 'other',
            address: { lines: [], countryCode: 'US' },
            openingHours: [],
            specialHours: [],
            afterHoursReturn: false,
            services: [],
            public: true,
          },
        ],
        warnings: oneWarning('row_dropped', 'depots[2] is unreadable: code'),
      },
    );
    expect(asked.calls).toEqual([
      {
        method: 'GET',
        path: '/rest/depots?text=Quarry&cc=US&page=1',
        headers: { accept: 'application/json', 'ember-key': 'simulated-key' },
        repeatable: true,
      },
    ]);
  });
});

describe('cars', () => {
  const asked = scripted(answered('ember/cars.200.json'));
  const found = async (): Promise<readonly SupplierOffer[]> =>
    (await adapter.searchVehicles?.(search, asked))?.items ?? [];

  it('are requested by number or airport, as a form, with wall clock times', async () => {
    await found();
    expect(asked.calls[0]).toEqual({
      method: 'POST',
      path: '/rest/quotes',
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        'ember-key': 'simulated-key',
      },
      body: 'from_depot=11&to_iata=QLB&from_time=2031-05-06%2010%3A00&to_time=2031-05-09%2010%3A30&age=23&home=US',
      repeatable: true,
    });
  });

  it('are mapped completely', async () => {
    const [offer] = await found();
    expect(offer).toMatchObject({
      brand: 'Ember',
      status: 'available',
      supplierRef: { grp: 4711, pay: 1, from: 11, to: 12 },
      pickup: { code: '11' },
      dropoff: { code: '12' },
      rentalDays: 3,
      rate: { payment: 'pay_now' },
      distancePolicy: [{ unlimited: false, included: { value: 250, unit: 'km' }, per: 'day', overage: usd(9) }],
      fuelPolicy: 'full_to_full',
      deposit: { amount: usd(20_000), takenAt: 'pickup' },
      requirements: { minAge: 21, youngDriverFee: usd(2_700) },
      cancellation: {
        refundable: true,
        freeUntil: '2031-05-04T10:00:00',
        rules: [{ from: '2031-05-04T10:00:00', fee: usd(5_000) }],
        source: 'structured',
      },
    });
    expect(offer?.vehicle).toEqual({
      sippCode: 'ECMR',
      name: 'Talon 500',
      make: 'Talon',
      model: '500',
      orSimilar: true,
      className: 'Economy',
      seats: 5,
      doors: 4,
      bagsLarge: 1,
      bagsSmall: 2,
      transmission: 'manual',
      airConditioning: true,
      fuel: 'petrol',
    });
    expect(offer?.extras).toEqual([
      {
        code: '8',
        type: 'toddler_seat',
        name: 'Child safety seat',
        pricePerDay: usd(1_300),
        priceTotal: usd(3_900),
        maxQuantity: 3,
        mandatory: false,
      },
      { code: '99', type: 'other', name: 'Surfboard', maxQuantity: 1, mandatory: false },
    ]);
    expect(
      offer?.coverages.map(({ code, type, included, priceTotal, excess }) => [
        code,
        type,
        included,
        priceTotal,
        excess,
      ]),
    ).toEqual([
      ['7', 'collision_damage_waiver', true, undefined, usd(130_000)],
      ['32', 'personal_accident', false, usd(2_100), undefined],
    ]);
  });

  it('have the times that the supplier states, each on the clock of its own depot', async () => {
    expect((await found()).map(({ pickupDate, dropoffDate }) => [pickupDate, dropoffDate])).toEqual(
      Array(2).fill(['2031-05-06T10:05:00', '2031-05-09T10:30:00']),
    );
  });

  it("keep the supplier's total, in cents, and itemize their flat fees", async () => {
    const [offer] = await found();
    const { items, ...price } = offer?.price ?? { items: [] };
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
        ({ kind, amount, payable, unit, quantity }) => `${kind} ${amount.amountMinor} ${payable} ${unit} ${quantity}`,
      ),
    ).toEqual([
      'rental 15000 now rental 1',
      'one_way 2000 now rental 1',
      'young_driver 2700 now rental 1',
      'airport 1500 now rental 1',
      'fee 99 now rental 1',
      'tax 1400 now percent 6.6',
      'fee 695 counter rental 1',
      'equipment 2600 now rental 2',
    ]);
  });

  it('with few members are offered without guessed values, and unreadable ones are warnings', async () => {
    const answer = await adapter.searchVehicles?.(search, asked);
    expect(answer?.items).toHaveLength(2);
    expect(answer?.items[1]).toMatchObject({
      status: 'on_request',
      rate: { payment: 'pay_later' },
      fuelPolicy: 'unknown',
      vehicle: { name: 'Vehicle', orSimilar: true },
      distancePolicy: [{ unlimited: true }],
      cancellation: { refundable: false, rules: [{ fee: usd(9_900) }] },
      coverages: [],
    });
    expect(answer?.items[1]?.deposit).toBeUndefined();
    expect(answer?.warnings.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'amount_rejected: cars[2] is unreadable: the amount 99.5 is not a whole number of minor units',
      'row_dropped: cars[3] is unreadable: payment',
      'row_dropped: cars[4] is unreadable: ref',
      'amount_rejected: day_cents: the amount 12.5 is not a whole number of minor units: left out',
    ]);
  });
});

it('distance and cancellation are absent because ember does not state them', async () => {
  const { body } = answered('ember/cars.200.json') as { readonly body: string };
  const silent = body.replaceAll(/"(km_day|free_until_ts|cancel_cents)"/g, '"omitted"');
  const found = await adapter.searchVehicles?.(search, scripted({ status: 200, body: silent }));
  expect(found?.items[0]).toMatchObject({ distancePolicy: [], cancellation: { rules: [], source: 'unknown' } });
});

describe('a refusal by ember under HTTP 200', () => {
  const refusal = (err: number) => scripted({ status: 200, body: { ok: 0, err, msg: 'for Ada Sample' } });
  const rental = {
    ...search,
    brand: 'Ember',
    ref: { grp: 4711, pay: 1, from: 11, to: 12 },
    extras: [{ code: '8', quantity: 2 }],
    coverages: ['32'],
  };
  const booking: BookRequest = {
    ...rental,
    ...sampleBooking,
    total: usd(25_500),
  };
  const key: BookingKey = { ...booking, ...booking.driver, confirmationNumber: '77' };
  const change: ModifyRequest = { ...booking, confirmationNumber: '77', changes: ['remark'] };

  it.each([
    [2001, 'done', 'rejected invalid_location'],
    [2002, 'done', 'rejected location_closed'],
    [3001, 'done', 'rejected sold_out'],
    [3002, 'rejected price_changed', 'rejected price_changed'],
    [3003, 'rejected not_eligible', 'rejected not_eligible'],
    [3004, 'rejected extra_not_available', 'rejected extra_not_available'],
    [1001, 'rejected', 'rejected'],
    [9999, 'bad_payload', 'bad_payload'],
  ])('as %i is %s to a search and %s to a booking', async (err, searched, booked) => {
    expect(await outcomeOf(adapter.searchVehicles?.(search, refusal(err)))).toBe(searched);
    expect(await outcomeOf(adapter.book?.(booking, refusal(err)))).toBe(booked);
  });

  it('reports that a booking is unknown or already closed', async () => {
    expect((await adapter.retrieve?.(key, refusal(4004)))?.items).toEqual([]);
    expect(await outcomeOf(adapter.cancel?.(key, refusal(4004)))).toBe('rejected not_found');
    expect(await outcomeOf(adapter.cancel?.(key, refusal(4009)))).toBe('done');
    expect(
      await outcomeOf(adapter.modify?.({ ...booking, confirmationNumber: '77', changes: ['remark'] }, refusal(4009))),
    ).toBe('rejected not_changeable');
  });

  it('is never inferred from a lost or incomplete answer to a booking', async () => {
    expect(await outcomeOf(adapter.book?.(booking, scripted({ status: 502, body: '<html>' })))).toBe('unavailable');
    for (const body of [
      '',
      '{}',
      '{"ok":1}',
      '{"ok":1,"booking":{"st":1}}',
      '{"ok":1,"booking":{"st":4,"no":1}}',
      '{"ok":1,"bo',
    ]) {
      expect(await outcomeOf(adapter.book?.(booking, scripted({ status: 200, body })))).toBe('bad_payload');
    }
    const foreign = { ok: 1, booking: { st: 1, no: 1, agent_ref: 'ref_0002' } };
    expect(await outcomeOf(adapter.book?.(booking, scripted({ status: 200, body: foreign })))).toBe('bad_payload');
  });

  it('is not believed if the answer has a booking', async () => {
    for (const err of [3001, 3002, 4004]) {
      const body = { ok: 1, err, booking: { st: 1, no: 77, agent_ref: 'ref_0001' } };
      expect(await outcomeOf(adapter.book?.(booking, scripted({ status: 200, body })))).toBe('bad_payload');
    }
  });

  it('a change whose answer has a different booking has an unknown outcome', async () => {
    for (const reference of [undefined, 'ref_0002']) {
      const other = scripted({ status: 200, body: { ok: 1, booking: { st: 1, no: 78, agent_ref: reference } } });
      expect(await outcomeOf(adapter.modify?.(change, other))).toBe('bad_payload');
    }
  });

  it('a change gives a booking with our reference its new number', async () => {
    const renumbered = scripted({ status: 200, body: { ok: 1, booking: { st: 1, no: 78, agent_ref: 'REF_0001' } } });
    expect(await adapter.modify?.(change, renumbered)).toMatchObject({ status: 'confirmed', confirmationNumber: '78' });
  });

  it('cancels a request without a number by our reference, if its interface can', async () => {
    const { confirmationNumber: _none, ...unnumbered } = key;
    const asked = scripted({ status: 200, body: { ok: 1, st: 4, cur: 'USD' } });
    expect(await outcomeOf(adapter.cancel?.(unnumbered, asked))).toBe('rejected unsupported_by_supplier');
    expect(asked.calls).toEqual([]);
    const { options, ...settings } = shippedSettings('ember');
    const { cancel } = options as { readonly cancel: object };
    const request = { method: 'DELETE', path: '/rest/bookings', query: { agent_ref: 'reference' } };
    const byReference = createRestAdapter({ ...settings, options: { ...options, cancel: { ...cancel, request } } });
    expect(await outcomeOf(byReference.cancel?.(unnumbered, asked))).toBe('done');
    expect(asked.calls[0]?.path).toBe('/rest/bookings?agent_ref=ref_0001');
  });

  it("the chosen options are sent in the supplier's spelling", async () => {
    const asked = scripted(answered('ember/cars.200.json'));
    await outcomeOf(adapter.priceCheck?.(rental, asked));
    expect(asked.calls[0]?.body).toContain('grp=4711&pay=1&addons%5B%5D=8%3A2&covers%5B%5D=32');
    await outcomeOf(adapter.book?.(booking, asked));
    expect(JSON.parse(asked.calls[1]?.body ?? '')).toMatchObject({
      grp: 4711,
      from_depot: 11,
      addons: ['8:2'],
      max_cents: 25_500,
      last: 'Sample',
    });
    expect(asked.calls[1]?.repeatable).toBe(false);
  });
});
