import { describe, expect, it } from '@jest/globals';
import type { ChangeKind } from '../../model/bookings.js';
import { adapter, answering, booking, change, errorOf, key, recorded, refused, rental } from './fixtures/setting.js';

const gbp = (amountMinor: number) => ({ amountMinor, currency: 'GBP' });
const sent = (body: string | undefined) => JSON.parse(body ?? '{}');
/** The reservation fixture with a different vehicle category. */
function reserved(category: object) {
  const body = JSON.parse(recorded('reservation.201.json').body);
  body.reservation.vehicle.category = category;
  return { status: 201, body: JSON.stringify(body) };
}

describe('the traits', () => {
  it('state that ABG finds bookings only by number and can change everything', () => {
    expect(adapter.booking).toEqual({
      findsByReference: false,
      takesCards: true,
      takesVouchers: true,
      takesExtras: true,
      takesCoverages: true,
      takesAdditionalDrivers: false,
      takesLatePickup: false,
      changes: ['contact', 'arrival', 'remark', 'extras', 'coverages', 'rental'],
      guaranteesRate: true,
      restates: expect.any(Function),
    });
    const restates = (...changes: readonly ChangeKind[]) => adapter.booking?.restates?.({ changes });
    expect([restates('contact'), restates('remark')]).toEqual([false, true]);
  });
});

describe('the price check', () => {
  it('requests the rate of the ref with the chosen options, sends only the age of the renter, and may be repeated', async () => {
    const asked = answering(recorded('rates-chosen.200.json'));
    await adapter.priceCheck?.(rental, asked);
    expect(asked.calls).toHaveLength(1);
    expect(asked.calls[0]).toMatchObject({ method: 'POST', path: '/cars/catalog/v2/vehicles/rates', repeatable: true });
    expect(asked.calls[0]?.headers).toEqual({ accept: 'application/json', 'content-type': 'application/json' });
    expect(sent(asked.calls[0]?.body)).toEqual({
      transaction: { transaction_id: 'req_fixture' },
      product: { brand: 'Avis', iata_number: '77' },
      reservation: {
        pickup_date: '2031-05-01T10:00:00',
        pickup_location: 'KSA',
        dropoff_date: '2031-05-04T11:00:00',
        dropoff_location: 'KSA',
        vehicle_sipp_code: 'ECMR',
        vehicle_status: 'Available',
      },
      rate_totals: {
        rate: {
          rate_code: 'L4',
          country_code: 'IE',
          quote_id: 'q-old',
          discount: { code: 'R900001' },
          coupon: { code: 'PLUME20' },
        },
      },
      insurance: [{ code: 'SCDW' }],
      extras: [{ code: 'CSS', quantity: 2 }],
      customer: { contact: { age: 35 } },
    });
  });

  it('returns the current offer: total with the chosen options itemized, ref with the new rate and quote', async () => {
    const found = await adapter.priceCheck?.(rental, answering(recorded('rates-chosen.200.json')));
    expect(found?.warnings).toEqual([]);
    expect(found?.items).toHaveLength(1);
    const offer = found?.items[0];
    expect(offer).toMatchObject({
      brand: 'Avis',
      status: 'available',
      supplierRef: { ...rental.ref, rateCode: 'L5', quoteId: 'q-new' },
      vehicle: { sippCode: 'ECMR', name: 'Talon 500', orSimilar: true, classCode: 'B' },
      pickup: { code: 'KSA', name: 'Kestrel Airport', address: { countryCode: 'GB' }, phone: '(44) 20 5550 100' },
      pickupDate: '2031-05-01T10:00:00',
      dropoffDate: '2031-05-04T11:00:00',
      rate: { code: 'L5', type: 'leisure', payment: 'pay_later', discountsApplied: ['R900001'] },
      rentalDays: 3,
      fuelPolicy: 'full_to_full',
      distancePolicy: [{ unlimited: false, included: { value: 600, unit: 'mi' }, per: 'rental', overage: gbp(15) }],
      cancellation: { rules: [], source: 'unknown', noShowFee: gbp(9000) },
      terms: [
        { kind: 'rental', url: 'https://terms.example.com/rental' },
        { kind: 'disclaimer', text: 'FUEL POLICY IS FULL TO FULL' },
      ],
    });
    expect(offer?.dropoff).toBe(offer?.pickup);
    expect(offer?.price).toMatchObject({
      total: gbp(26610),
      base: gbp(10010),
      extras: gbp(9100),
      coverages: gbp(4500),
      dueAtCounter: gbp(26610),
    });
    expect(
      offer?.price.items.map(({ kind, code, description, amount, includedInTotal }) => [
        kind,
        code,
        description,
        amount.amountMinor,
        includedInTotal,
      ]),
    ).toEqual([
      ['rental', undefined, 'Vehicle rental', 10010, true],
      ['tax', undefined, 'Local Tax', 2050, true],
      ['airport', undefined, 'Airport Surcharge', 950, true],
      ['equipment', 'CSS', 'Child Safety Seat × 2', 7800, true],
      ['equipment', 'GPS', 'GPS Unit', 1300, true],
      ['coverage', 'SCDW', 'SCDW', 4500, true],
      ['fee', undefined, 'Late Fee', 1500, false],
    ]);
    expect(offer?.price.unitemised).toBeUndefined();
  });

  describe('charges that may apply', () => {
    const shown = async (stated: boolean | undefined, ref: object, age = rental.age) => {
      const body = JSON.parse(recorded('rates-chosen.200.json').body);
      const { rate } = body.reservation.rate_totals;
      rate.under_age_fee_applied = stated;
      rate.taxes_fees.fees.push({ name: 'Under Age Surcharge', amount: 140, included_in_total: false });
      const asked = answering({ status: 200, body: JSON.stringify(body) });
      const offer = (await adapter.priceCheck?.({ ...rental, age, ref: { ...rental.ref, ...ref } }, asked))?.items[0];
      const besides = offer?.price.items.filter(({ includedInTotal }) => !includedInTotal);
      return [besides?.map(({ mandatory }) => mandatory), offer?.requirements.youngDriverFee];
    };
    const applies = [[false, true], gbp(14_000)];
    const mayApply = [[false, false], undefined];

    it('are shown as such; the surcharge for young drivers is mandatory if an answer says that it applies', async () => {
      const { age } = rental;
      expect(await shown(undefined, { age })).toEqual(mayApply);
      expect(await shown(false, { age, underAge: true })).toEqual(mayApply);
      expect(await shown(true, { age })).toEqual(applies);
      expect(await shown(undefined, { age, underAge: true })).toEqual(applies);
    });

    it.each([
      ['much younger', 35, false, 22, applies],
      ['younger, above the usual limit', 35, false, 25, mayApply],
      ['older than one who pays none', 20, false, 22, mayApply],
      ['younger than one who pays it', 27, true, 26, applies],
      ['older than one who pays it', 22, true, 40, mayApply],
      ['a little older than one who pays it', 22, true, 24, applies],
    ])('apply to a driver who is not the age of the search: %s', async (_, age, underAge, driver, expected) => {
      expect(await shown(undefined, { age, ...(underAge && { underAge }) }, driver)).toEqual(expected);
    });

    it('keep the surcharge for young drivers for a ref of a gateway for which it always applied', async () => {
      expect(await shown(undefined, {}, 22)).toEqual(applies);
      expect(await shown(undefined, {}, 40)).toEqual(applies);
    });
  });

  it('lists coverages: one that is taken and owes nothing is included; one that is not taken is never free', async () => {
    const found = await adapter.priceCheck?.(rental, answering(recorded('rates-chosen.200.json')));
    const base = { mandatory: false };
    expect(found?.items[0]?.coverages).toEqual([
      { ...base, code: 'TP', type: 'theft_protection', name: 'Theft Protection', included: true, excess: gbp(90000) },
      {
        ...base,
        code: 'SCDW',
        type: 'super_collision_damage_waiver',
        name: 'Super Collision Damage Waiver',
        included: false,
        pricePerDay: gbp(1500),
        priceTotal: gbp(4500),
        excess: gbp(0),
      },
      { ...base, code: 'PAI', type: 'personal_accident', name: 'Personal Accident Insurance', included: false },
      {
        ...base,
        code: 'PEP',
        type: 'personal_effects',
        name: 'Personal Effects Protection',
        included: false,
        pricePerDay: gbp(400),
        priceTotal: gbp(1200),
      },
      { ...base, code: 'ZZZ', type: 'other', name: 'ZZZ', included: false, pricePerDay: gbp(200) },
    ]);
  });

  it("lists extras per piece, with ABG's maximum, and without the no-show fee", async () => {
    const found = await adapter.priceCheck?.(rental, answering(recorded('rates-chosen.200.json')));
    const base = { mandatory: false };
    expect(found?.items[0]?.extras).toEqual([
      {
        ...base,
        code: 'CSS',
        type: 'toddler_seat',
        name: 'Child Safety Seat',
        pricePerDay: gbp(1300),
        priceTotal: gbp(3900),
        maxQuantity: 4,
      },
      { ...base, code: 'GPS', type: 'navigation', name: 'GPS Unit', priceTotal: gbp(1300), maxQuantity: 3 },
      {
        ...base,
        code: 'ADD',
        type: 'additional_driver',
        name: 'Additional Driver',
        priceTotal: gbp(6531),
        maxQuantity: 3,
      },
      {
        ...base,
        code: 'SKR',
        type: 'ski_rack',
        name: 'SKR',
        pricePerDay: gbp(800),
        priceTotal: gbp(2400),
        maxQuantity: 1,
      },
      { ...base, code: 'QQQ', type: 'other', name: 'QQQ', maxQuantity: 1 },
    ]);
  });

  describe('of a rate with extras whose price is in the total', () => {
    /** What is shown of the extras in an answer with these rows, and the codes that the ref then has as included. */
    const shown = async (extras: readonly object[], chosen: readonly string[], known?: string) => {
      const body = JSON.parse(recorded('rates-chosen.200.json').body);
      body.reservation.extras = extras;
      const asked = answering({ status: 200, body: JSON.stringify(body) });
      const ref = { ...rental.ref, ...(known !== undefined && { inRate: known }) };
      const request = { ...rental, ref, extras: chosen.map((code) => ({ code, quantity: 1 })) };
      const offer = (await adapter.priceCheck?.(request, asked))?.items[0];
      const rows = offer?.extras.map((one) => [one.code, one.priceTotal?.amountMinor, one.mandatory]);
      return { rows, inRate: offer?.supplierRef.inRate, items: offer?.price.items };
    };
    const gps = { code: 'GPS', quantity: 1, amount: 13, total_owed: 91, included_in_rate: true };

    it('shows those that were not chosen as part of it, at no further price', async () => {
      const found = await shown([gps, { ...gps, code: 'CSS', included_in_rate: false }], ['CSS']);
      expect([found.rows, found.inRate]).toEqual([
        [
          ['GPS', 0, true],
          ['CSS', 9100, false],
        ],
        'GPS',
      ]);
      const { items } = await shown([gps], []);
      expect(items?.find(({ code }) => code === 'GPS')).toMatchObject({ amount: gbp(9100), mandatory: true });
      expect((await shown([{ ...gps, quantity: undefined }], [])).rows).toEqual([['GPS', 0, true]]);
    });

    it('shows the price of those that were chosen, unless they were included before', async () => {
      expect(await shown([gps], ['GPS'])).toMatchObject({ rows: [['GPS', 9100, false]], inRate: undefined });
      expect(await shown([gps], ['GPS'], 'CSS GPS')).toMatchObject({ rows: [['GPS', 0, true]], inRate: 'GPS' });
      const without = { ...gps, included_in_rate: false };
      expect(await shown([without], ['GPS'], 'GPS')).toMatchObject({ rows: [['GPS', 9100, false]], inRate: '' });
    });

    it.each([{ quantity: 0 }, { included_in_rate: false }, { code: 'NSF' }])('counts none with %j', async (row) => {
      expect((await shown([{ ...gps, ...row }], [])).inRate).toBeUndefined();
    });
  });

  describe('of a rate with a coverage that was not chosen and is in the total', () => {
    const cdw = { code: 'CDW', amount: 15, total_owed: 75, selection_note: 'DEFAULT', selected: true };
    const shown = async (
      row: object,
      insuranceTotal: number | undefined,
      chosen: readonly string[],
      known?: string,
    ) => {
      const body = JSON.parse(recorded('rates-chosen.200.json').body);
      body.reservation.insurance = [row];
      body.reservation.rate_totals.totals.insurance_total = insuranceTotal;
      const asked = answering({ status: 200, body: JSON.stringify(body) });
      const ref = { ...rental.ref, ...(known !== undefined && { inRate: known }) };
      const offer = (await adapter.priceCheck?.({ ...rental, ref, coverages: chosen }, asked))?.items[0];
      const { included, priceTotal, mandatory } = offer?.coverages[0] ?? {};
      const item = offer?.price.items.find(({ code }) => code === 'CDW');
      return [included, priceTotal?.amountMinor, mandatory, item?.mandatory, offer?.supplierRef.inRate];
    };
    const apart = [false, 7500, false];

    it('shows it as included', async () => {
      expect(await shown(cdw, 75, [])).toEqual([true, undefined, false, true, 'CDW']);
      expect(await shown(cdw, 148.92, [])).toEqual([true, undefined, false, undefined, 'CDW']);
      expect(await shown({ ...cdw, included_in_rate: false }, 75, [])).toEqual([true, undefined, false, true, 'CDW']);
      expect(await shown(cdw, 75, ['CDW'], 'GPS CDW')).toEqual([true, undefined, false, true, 'CDW']);
    });

    it('shows its price if it was chosen, is not taken, or is in no part of the total', async () => {
      expect(await shown(cdw, 75, ['CDW'])).toEqual([...apart, false, undefined]);
      expect(await shown({ ...cdw, selected: false }, 75, [])).toEqual([...apart, undefined, undefined]);
      for (const sum of [undefined, 0, 74.99])
        expect(await shown(cdw, sum, [])).toEqual([...apart, undefined, undefined]);
    });

    it.each<[string, readonly object[], number, string | undefined]>([
      ['a chosen one uses up the sum', [{ code: 'LDW', total_owed: 75 }, cdw], 75, undefined],
      ['the sum is enough for the chosen one and it', [cdw, { code: 'LDW', total_owed: 75 }], 150, 'CDW'],
      ['a chosen one has a daily price', [{ code: 'LDW', amount: 10 }, cdw], 104.99, undefined],
      ['a chosen one is in another currency', [{ code: 'LDW', amount: 10, currency: 'USD' }, cdw], 200, undefined],
      ['a chosen one is free', [{ code: 'LDW', amount: 0, selected: true }, cdw], 75, 'CDW'],
      ['another one uses up the sum', [{ ...cdw, code: 'PAI' }, cdw], 75, 'PAI'],
      ['its daily price is less than the sum', [{ ...cdw, total_owed: undefined }], 44.99, undefined],
      ['the sum is enough for its daily price', [{ ...cdw, total_owed: undefined }], 45, 'CDW'],
    ])('counts only those for which the sum is enough: %s', async (_, rows, insuranceTotal, inRate) => {
      const body = JSON.parse(recorded('rates-chosen.200.json').body);
      body.reservation.insurance = rows;
      body.reservation.rate_totals.totals.insurance_total = insuranceTotal;
      const asked = answering({ status: 200, body: JSON.stringify(body) });
      const offer = (await adapter.priceCheck?.({ ...rental, coverages: ['LDW'] }, asked))?.items[0];
      expect(offer?.supplierRef.inRate).toBe(inRate);
      const included = offer?.coverages.filter((one) => one.included && one.code !== 'LDW');
      expect(included?.map(({ code }) => code)).toEqual(inRate === undefined ? [] : [inRate]);
    });
  });

  it('keeps the stated total without the chosen extras, and a sum that its parts do not add up to as one item', async () => {
    const body = JSON.parse(recorded('rates-chosen.200.json').body);
    Object.assign(body.reservation.rate_totals.totals, {
      extras_total: undefined,
      insurance_total: 50,
      reservation_total: 180.1,
    });
    const found = await adapter.priceCheck?.(rental, answering({ status: 200, body: JSON.stringify(body) }));
    expect(found?.items[0]?.price.total).toEqual(gbp(18010));
    expect(found?.items[0]?.price.extras).toBeUndefined();
    expect(
      found?.items[0]?.price.items.filter(({ kind }) => kind === 'coverage' || kind === 'equipment'),
    ).toMatchObject([{ description: 'Coverages', amount: gbp(5000) }]);
  });

  it('keeps the old quote if the answer has none, and the payment type and on-request status of the ref', async () => {
    const body = JSON.parse(recorded('rates-chosen.200.json').body);
    delete body.reservation.rate_totals.rate.quote_id;
    const asked = answering({ status: 200, body: JSON.stringify(body) });
    const ref = { ...rental.ref, payment: 'pay_now', onRequest: true };
    const offer = (await adapter.priceCheck?.({ ...rental, ref }, asked))?.items[0];
    expect(sent(asked.calls[0]?.body).reservation.vehicle_status).toBe('OnRequest');
    expect(offer?.supplierRef.quoteId).toBe('q-old');
    expect([offer?.status, offer?.rate.payment, offer?.price.dueNow]).toEqual(['on_request', 'pay_now', gbp(26610)]);
  });

  it.each(['sippCode', 'rateCode', 'pickupCode', 'dropoffCode'])(
    'is rejected as invalid_rate, unsent, without %s',
    async (name) => {
      const asked = answering(recorded('rates-chosen.200.json'));
      const error = await errorOf(adapter.priceCheck?.({ ...rental, ref: { ...rental.ref, [name]: '' } }, asked));
      expect([error.fault, error.refusal, error.sent]).toEqual(['rejected', 'invalid_rate', false]);
      expect(asked.calls).toEqual([]);
    },
  );

  it('is booked where its answer says that it is', async () => {
    const body = JSON.parse(recorded('rates-chosen.200.json').body);
    body.reservation.dropoff_location.location.code = 'KSB';
    const offer = (await adapter.priceCheck?.(rental, answering({ status: 200, body: JSON.stringify(body) })))
      ?.items[0];
    expect([offer?.dropoff.code, offer?.supplierRef.pickupCode]).toEqual(['KSB', 'KSA']);
    const asked = answering(recorded('reservation.201.json'));
    await adapter.book?.({ ...booking, ref: offer?.supplierRef ?? {} }, asked);
    expect(sent(asked.calls[0]?.body).reservation).toMatchObject({ pickup_location: 'KSA', dropoff_location: 'KSB' });
  });

  it('names the vehicle by its SIPP code if the ref has no name', async () => {
    const { vehicleName: _, ...ref } = rental.ref;
    const found = await adapter.priceCheck?.({ ...rental, ref }, answering(recorded('rates-chosen.200.json')));
    expect(found?.items[0]?.vehicle.name).toBe('ECMR');
  });

  it.each([
    [404, '223'],
    [404, '500708'],
    [400, '22224'],
    [404, '14381'],
  ])('has no items if the car is unavailable: %i %s', async (status, code) => {
    expect(await adapter.priceCheck?.(rental, answering(refused(status, code)))).toEqual({ items: [], warnings: [] });
  });

  it.each([
    [400, '14105', 'invalid_rate'],
    [400, '242', 'location_closed'],
    [400, '203', 'invalid_location'],
    [400, '209', 'invalid_discount'],
    [400, '14299', 'extra_not_available'],
    [400, '231', undefined],
  ])('maps %i %s to %s', async (status, code, refusal) => {
    const error = await errorOf(adapter.priceCheck?.(rental, answering(refused(status, code))));
    expect([error.fault, error.refusal]).toEqual(['rejected', refusal]);
  });

  it.each([
    '{}',
    '<html>',
    '{"reservation":{}}',
    '{"reservation":{"rate_totals":{"rate":{"currency":"???"},"totals":{"reservation_total":9}}}}',
    '{"reservation":{"rate_totals":{"rate":{"currency":"GBP"},"totals":{"reservation_total":0}}}}',
  ])('is a bad payload: %s', async (body) => {
    expect((await errorOf(adapter.priceCheck?.(rental, answering({ status: 200, body })))).fault).toBe('bad_payload');
  });
});

describe('book', () => {
  it('sends everything that ABG accepts, once', async () => {
    const asked = answering(recorded('reservation.201.json'));
    await adapter.book?.(
      {
        ...booking,
        status: 'on_request',
        driver: {
          firstName: 'Ada',
          lastName: 'Sample',
          email: 'ada@example.com',
          phone: '+44 20 5550 101',
          dateOfBirth: '1996-02-03',
          licence: { number: 'L-7', countryCode: 'IE', region: 'D' },
          address: {
            lines: ['1 Mill Lane', 'Flat 2', 'Rear', 'Left'],
            city: 'Kestrel',
            region: 'KE',
            postalCode: 'K1',
            countryCode: 'IE',
          },
          loyalty: [{ number: 'W12' }],
        },
        arrival: { carrierCode: 'QX', flightNumber: '349', arrivesAt: '2031-05-01T09:00:00' },
        payment: { type: 'voucher', voucher: '12313434' },
        remark: 'Two big dogs',
        notifyCustomer: true,
      },
      asked,
    );
    expect(asked.calls).toHaveLength(1);
    expect(asked.calls[0]).toMatchObject({ method: 'POST', path: '/cars/reservation/v2', repeatable: false });
    expect(sent(asked.calls[0]?.body)).toEqual({
      transaction: { transaction_id: 'res_0123456789' },
      product: { brand: 'Avis', iata_number: '77' },
      reservation: {
        pickup_date: '2031-05-01T10:00:00',
        pickup_location: 'KSA',
        dropoff_date: '2031-05-04T11:00:00',
        dropoff_location: 'KSA',
        vehicle_sipp_code: 'ECMR',
        vehicle_status: 'OnRequest',
        email_notification: true,
        remark: 'Two big dogs',
      },
      rate_totals: {
        rate: {
          rate_code: 'L4',
          country_code: 'IE',
          quote_id: 'q-old',
          discount: { code: 'R900001' },
          coupon: { code: 'PLUME20' },
          membership: { code: 'W12' },
        },
      },
      customer: {
        contact: {
          first_name: 'Ada',
          last_name: 'Sample',
          email: 'ada@example.com',
          telephone: '+44 20 5550 101',
          age: 35,
          date_of_birth: '1996-02-03',
        },
        driver: { license_number: 'L-7', state_code: 'XX', country_code: 'IE' },
        address: {
          address_line_1: '1 Mill Lane',
          address_line_2: 'Flat 2',
          address_line_3: 'Rear, Left',
          city: 'Kestrel',
          state_name: 'KE',
          postal_code: 'K1',
          country_code: 'IE',
        },
      },
      insurance: [{ code: 'SCDW' }],
      extras: [{ code: 'CSS', quantity: 2 }],
      arrival_flight: { airline_code: 'QX', airline_number: '349' },
      payment_preference: {
        type: 'Voucher',
        id: '12313434',
        fixed_value: 'FixedValue',
        electronic_indicator: true,
        amount: 266.1,
        currency: 'GBP',
      },
    });
  });

  it('leaves out missing values, and sends the reference in place of a missing remark', async () => {
    const asked = answering(recorded('reservation.201.json'));
    await adapter.book?.({ ...booking, extras: [], coverages: [] }, asked);
    const body = sent(asked.calls[0]?.body);
    expect(body.reservation.remark).toBe('res_0123456789');
    expect(body.customer).toEqual({
      contact: { first_name: 'Ada', last_name: 'Sample', email: 'ada@example.com', age: 35 },
    });
    expect(body).not.toHaveProperty('payment_preference');
    expect(body).not.toHaveProperty('arrival_flight');
    expect([body.extras, body.insurance]).toEqual([[], []]);
  });

  it('sends the state only for a license from the United States', async () => {
    const asked = answering(recorded('reservation.201.json'));
    const licence = { number: 'L-7', countryCode: 'US', region: 'TX' };
    await adapter.book?.({ ...booking, driver: { ...booking.driver, licence } }, asked);
    expect(sent(asked.calls[0]?.body).customer.driver).toEqual({
      license_number: 'L-7',
      state_code: 'TX',
      country_code: 'US',
    });
  });

  it('reads the booking: number, total, dates without zone, extras with a quantity', async () => {
    expect(await adapter.book?.(booking, answering(recorded('reservation.201.json')))).toEqual({
      status: 'confirmed',
      confirmationNumber: '09449519GB3',
      ref: {},
      total: gbp(26610),
      pickupDate: '2031-05-01T10:00:00',
      dropoffDate: '2031-05-04T11:00:00',
      sippCode: 'ECMR',
      extras: [{ code: 'CSS', quantity: 2 }],
    });
  });

  it.each([
    [{ vehicle_onrequest_status: 'Pending' }, 'on_request'],
    [{ vehicle_onrequest_status: 'Confirmed', vehicle_status: 'OnRequest' }, 'confirmed'],
    [{ vehicle_onrequest_status: 'Denied' }, 'rejected'],
    [{ vehicle_onrequest_status: 'Available' }, 'confirmed'],
    [{ vehicle_onrequest_status: 'Available', vehicle_status: 'OnRequest' }, 'on_request'],
    [{ vehicle_status: 'OnRequest' }, 'on_request'],
    [{ vehicle_status: 'Available' }, 'confirmed'],
    [{ vehicle_onrequest_status: 'N/A', vehicle_status: ' ' }, 'confirmed'],
    [{}, 'confirmed'],
  ])('reads %j as %s', async (category, status) => {
    expect(await adapter.book?.(booking, answering(reserved(category)))).toMatchObject({
      status,
      confirmationNumber: '09449519GB3',
    });
  });

  it.each([
    [{}, 'on_request', true, {}],
    [{ vehicle_onrequest_status: 'NA' }, 'on_request', true, {}],
    [{ vehicle_onrequest_status: 'Pending' }, 'on_request', undefined, {}],
    [{ vehicle_status: 'OnRequest' }, 'on_request', undefined, {}],
    [{ vehicle_onrequest_status: 'Confirmed' }, 'confirmed', undefined, { accepted: true }],
    [{ vehicle_onrequest_status: 'Available' }, 'confirmed', undefined, { accepted: true }],
    [{ vehicle_status: 'Available' }, 'confirmed', undefined, { accepted: true }],
    [{ vehicle_onrequest_status: 'Denied' }, 'rejected', undefined, {}],
  ])(
    'and a look-up of a car that was offered on request read %j as %s (assumed: %s)',
    async (category, ...expected) => {
      const request = { ...booking, ref: { ...booking.ref, onRequest: true }, status: 'on_request' as const };
      const booked = await adapter.book?.(request, answering(reserved(category)));
      const found = await adapter.retrieve?.(
        { ...key, ref: request.ref },
        answering({ ...reserved(category), status: 200 }),
      );
      for (const one of [booked, found?.items[0]])
        expect([one?.status, one?.isStatusAssumed, one?.ref]).toEqual(expected);
    },
  );

  it.each([
    [true, true],
    ['Y', true],
    ['required', true],
    [false, false],
    ['NA', undefined],
    [undefined, undefined],
  ])('and a look-up read credit_card_guarantee %j as %s', async (credit_card_guarantee, needed) => {
    const body = JSON.parse(recorded('reservation.201.json').body);
    body.reservation.rate_totals.rate.credit_card_guarantee = credit_card_guarantee;
    const answer = { status: 201, body: JSON.stringify(body) };
    expect((await adapter.book?.(booking, answering(answer)))?.creditCardRequired).toBe(needed);
    const found = await adapter.retrieve?.(key, answering({ ...answer, status: 200 }));
    expect(found?.items[0]?.creditCardRequired).toBe(needed);
  });

  it('of a car that was offered on request stays confirmed once ABG has said so, even through a change', async () => {
    const ref = { ...booking.ref, onRequest: true, accepted: true };
    const silent = { ...reserved({}), status: 200 };
    expect((await adapter.retrieve?.({ ...key, ref }, answering(silent)))?.items[0]?.status).toBe('confirmed');
    const changed = await adapter.modify?.({ ...change, ref, changes: ['remark'] }, answering(silent));
    expect([changed?.status, changed?.ref]).toEqual(['confirmed', {}]);
  });

  it.each([
    { vehicle_onrequest_status: 'Declined' },
    { vehicle_onrequest_status: 'Declined', vehicle_status: 'Available' },
    { vehicle_status: 'Unavailable' },
  ])('is in doubt if its status is %j, and so is a look-up', async (category) => {
    const doubt = { fault: 'bad_payload', message: 'abg returned a reservation with an unknown status' };
    expect(await errorOf(adapter.book?.(booking, answering(reserved(category))))).toMatchObject(doubt);
    const found = adapter.retrieve?.(key, answering({ ...reserved(category), status: 200 }));
    expect(await errorOf(found)).toMatchObject(doubt);
  });

  it.each([
    ['status only', recorded('status-only.200.json').body],
    ['a reservation without a number', '{"status":{},"reservation":{"confirmation":{"number":" "}}}'],
    ['a reservation without a number next to an error', '{"status":{"errors":[{"code":"14220"}]},"reservation":{}}'],
  ])('is in doubt if the success has %s', async (_what, body) => {
    expect((await errorOf(adapter.book?.(booking, answering({ status: 201, body })))).fault).toBe('bad_payload');
  });

  it('is confirmed if a success with its number also has errors', async () => {
    const body = JSON.parse(recorded('reservation.201.json').body);
    body.status.errors = [{ code: '14220' }];
    expect(await adapter.book?.(booking, answering({ status: 201, body: JSON.stringify(body) }))).toMatchObject({
      status: 'confirmed',
    });
  });

  it('has the places that the answer states', async () => {
    const body = JSON.parse(recorded('reservation.201.json').body);
    body.reservation.pickup_location = { location: { code: 'LAX' } };
    body.reservation.dropoff_location = { location: { code: 'Q7B' }, address: { lat: 27.25, long: -80.5 } };
    expect(await adapter.book?.(booking, answering({ status: 201, body: JSON.stringify(body) }))).toMatchObject({
      pickup: { code: 'LAX', iataCode: 'LAX', latitude: expect.closeTo(33.94, 1) },
      dropoff: { code: 'Q7B', latitude: 27.25, longitude: -80.5 },
    });
  });

  it("never includes the card or the supplier's text about the renter in an error", async () => {
    const number = '4111111111111111';
    const card = { number, expiryMonth: 2, expiryYear: 2033, holder: 'ADA SAMPLE' };
    for (const [status, code] of [
      [400, '14220'],
      [400, '777777'],
      [400, number],
      [400, 'Sample'],
      [500, '40018'],
      [200, '777777'],
    ] as const) {
      const errors = [{ code, reason: `card ${number} of Ada Sample`, details: `card ${number}` }];
      const asked = answering({ status, body: JSON.stringify({ status: { errors } }) });
      const error = await errorOf(adapter.book?.({ ...booking, payment: { type: 'card', card } }, asked));
      expect(sent(asked.calls[0]?.body).payment_preference.payment_method.card_number).toBe(number);
      expect(`${error.message} ${error.stack}`).not.toMatch(/4111|Sample/);
    }
  });

  it('is in doubt if a refusal has a reservation with a number', async () => {
    const { reservation } = JSON.parse(recorded('reservation.201.json').body);
    const { body, ...refusal } = refused(400, '14014');
    expect((await errorOf(adapter.book?.(booking, answering({ ...refusal, body })))).fault).toBe('rejected');
    const both = { ...refusal, body: JSON.stringify({ ...JSON.parse(body), reservation }) };
    expect((await errorOf(adapter.book?.(booking, answering(both)))).fault).toBe('bad_payload');
  });
});

describe('retrieve', () => {
  it('requests by brand, number and last name, may be repeated, and is the only call with a name in its URL', async () => {
    const view = answering(recorded('reservation.201.json'));
    await adapter.retrieve?.({ ...key, lastName: "O'Sample" }, view);
    expect(view.calls).toMatchObject([
      {
        method: 'GET',
        path: "/cars/reservation/v2?brand=Avis&confirmation_number=09449519GB3&last_name=O'Sample&transaction_id=req_fixture",
        repeatable: true,
      },
    ]);
    for (const call of [
      (asked: ReturnType<typeof answering>) => adapter.priceCheck?.(rental, asked),
      (asked: ReturnType<typeof answering>) => adapter.book?.(booking, asked),
      (asked: ReturnType<typeof answering>) => adapter.modify?.(change, asked),
      (asked: ReturnType<typeof answering>) => adapter.modify?.({ ...change, changes: ['rental'] }, asked),
      (asked: ReturnType<typeof answering>) => adapter.cancel?.(key, asked),
    ]) {
      const asked = answering(refused(400, '400'));
      await errorOf(call(asked));
      expect(asked.calls[0]?.path).not.toMatch(/\?|Sample/);
    }
  });

  it('requests the proof of the booked rate only for a change, which sends it back unchanged', async () => {
    const body = JSON.parse(recorded('reservation.201.json').body);
    body.reservation.rate_totals.rate.rate_guarantee_blob = ' a+/= ';
    const answer = { status: 200, body: JSON.stringify(body) };
    expect((await adapter.retrieve?.(key, answering(answer)))?.items[0]).not.toHaveProperty('rateGuarantee');
    const view = answering(answer);
    const found = await adapter.retrieve?.({ ...key, isForChange: true }, view);
    expect(view.calls[0]?.path).toMatch(/&modify=true$/);
    const { rateGuarantee = '' } = found?.items[0] ?? {};
    expect(rateGuarantee).toBe(' a+/= ');
    const [priced, changed] = [answering(recorded('rates-chosen.200.json')), answering(answer)];
    await adapter.priceCheck?.({ ...rental, rateGuarantee }, priced);
    await adapter.modify?.({ ...change, changes: ['remark'], rateGuarantee }, changed);
    for (const [call] of [priced.calls, changed.calls])
      expect(sent(call?.body).rate_totals.rate.rate_guarantee_blob).toBe(' a+/= ');
  });

  it('finds the booking', async () => {
    const found = await adapter.retrieve?.(key, answering({ ...recorded('reservation.201.json'), status: 200 }));
    expect(found).toMatchObject({
      items: [{ status: 'confirmed', confirmationNumber: '09449519GB3', total: gbp(26610) }],
      warnings: [],
    });
  });

  it('recognizes a cancelled one by code 14036', async () => {
    expect(await adapter.retrieve?.(key, answering(recorded('cancelled.404.json')))).toEqual({
      items: [{ status: 'cancelled', confirmationNumber: '09449519GB3', ref: {} }],
      warnings: [],
    });
  });

  it.each(['150004', '14184'])(
    'finds nothing for code %s, which means that the booking does not exist',
    async (code) => {
      expect(await adapter.retrieve?.(key, answering(refused(400, code)))).toEqual({ items: [], warnings: [] });
    },
  );

  it.each([
    [404, refused(404, '404').body, 'rejected'],
    [404, refused(404, '223').body, 'rejected'],
    [404, '<html>', 'rejected'],
    [400, refused(400, '777777').body, 'rejected'],
    [400, refused(400, '150004', '203').body, 'rejected'],
    [404, refused(404, '14036', '223').body, 'rejected'],
    [500, refused(500, '14036').body, 'unavailable'],
    [500, refused(500, '150004').body, 'unavailable'],
    [401, refused(401, '150004').body, 'auth'],
    [200, '{}', 'bad_payload'],
    [200, '{"reservation":{}}', 'bad_payload'],
    [200, '{"reservation":{"confirmation":{"number":"11111111US1"}}}', 'bad_payload'],
  ])('is inconclusive for %i %s: %s', async (status, body, fault) => {
    expect((await errorOf(adapter.retrieve?.(key, answering({ status, body })))).fault).toBe(fault);
  });

  it('is rejected, unsent, without a confirmation number, as is cancel', async () => {
    const { confirmationNumber: _, ...unnumbered } = key;
    const asked = answering(recorded('reservation.201.json'));
    for (const outcome of [adapter.retrieve?.(unnumbered, asked), adapter.cancel?.(unnumbered, asked)]) {
      const error = await errorOf(outcome);
      expect([error.fault, error.refusal, error.sent]).toEqual(['rejected', 'unsupported_by_supplier', false]);
    }
    expect(asked.calls).toEqual([]);
  });
});

describe('modify', () => {
  const arrival = { carrierCode: 'QX', flightNumber: '12' };

  it('changes contact and flight with the partial call, whose answer has no reservation', async () => {
    const asked = answering(recorded('status-only.200.json'));
    const changed = await adapter.modify?.({ ...change, arrival, changes: ['contact', 'arrival'] }, asked);
    expect(changed).toEqual({ status: 'confirmed', confirmationNumber: '09449519GB3', ref: {} });
    expect(asked.calls).toMatchObject([
      { method: 'PATCH', path: '/cars/reservation/v2/partial-modify', repeatable: false },
    ]);
    expect(sent(asked.calls[0]?.body)).toEqual({
      transaction: { transaction_id: 'res_0123456789' },
      product: { brand: 'Avis', iata_number: '77' },
      reservation: { confirmation: { number: '09449519GB3' } },
      rate_totals: { rate: { rate_code: 'L4', country_code: 'IE' } },
      customer: { contact: { first_name: 'Ada', last_name: 'Sample', email: 'ada@example.com', age: 35 } },
      arrival_flight: { airline_code: 'QX', airline_number: '12' },
    });
  });

  it.each([
    ['remark', { changes: ['remark'] }],
    ['extras', { changes: ['contact', 'extras'] }],
    ['coverages', { changes: ['coverages'] }],
    ['rental', { changes: ['rental'] }],
    ['a removed flight', { changes: ['arrival'] }],
  ] as const)('restates the complete booking for %s', async (_what, changes) => {
    const asked = answering({ ...recorded('reservation.201.json'), status: 200 });
    const changed = await adapter.modify?.({ ...change, ...changes, remark: 'Later' }, asked);
    expect(changed).toMatchObject({ status: 'confirmed', confirmationNumber: '09449519GB3', total: gbp(26610) });
    expect(asked.calls).toMatchObject([{ method: 'PATCH', path: '/cars/reservation/v2', repeatable: false }]);
    expect(sent(asked.calls[0]?.body)).toMatchObject({
      reservation: { confirmation: { number: '09449519GB3' }, vehicle_sipp_code: 'ECMR', remark: 'Later' },
      customer: { contact: { last_name: 'Sample' } },
      extras: [{ code: 'CSS', quantity: 2 }],
    });
  });

  it('is in doubt if a full update returns no reservation', async () => {
    const error = await errorOf(
      adapter.modify?.({ ...change, changes: ['rental'] }, answering(recorded('status-only.200.json'))),
    );
    expect(error.fault).toBe('bad_payload');
  });

  it('is in doubt if the success also has an error: the returned reservation may be the old one', async () => {
    const body = JSON.parse(recorded('reservation.201.json').body);
    body.status.errors = [{ code: '223' }];
    const asked = answering({ status: 200, body: JSON.stringify(body) });
    expect((await errorOf(adapter.modify?.({ ...change, changes: ['rental'] }, asked))).fault).toBe('bad_payload');
  });

  it('is rejected as not_changeable once cancelled', async () => {
    const error = await errorOf(adapter.modify?.(change, answering(recorded('cancelled.404.json'))));
    expect([error.fault, error.refusal]).toEqual(['rejected', 'not_changeable']);
  });
});

describe('cancel', () => {
  it('sends brand, number and last name, once, and returns no fee', async () => {
    const asked = answering(recorded('status-only.200.json'));
    expect(await adapter.cancel?.(key, asked)).toEqual({});
    expect(asked.calls).toMatchObject([{ method: 'PUT', path: '/cars/reservation/v2', repeatable: false }]);
    expect(sent(asked.calls[0]?.body)).toEqual({
      transaction: { transaction_id: 'res_0123456789' },
      product: { brand: 'Avis' },
      reservation: { confirmation: { number: '09449519GB3' } },
      customer: { contact: { last_name: 'Sample' } },
    });
  });

  it('succeeds if the booking was already cancelled, and only if ABG clearly says so', async () => {
    expect(await adapter.cancel?.(key, answering(recorded('cancelled.404.json')))).toEqual({});
    expect((await errorOf(adapter.cancel?.(key, answering(refused(400, '14036', '1005'))))).fault).toBe('unavailable');
  });

  it('is rejected for a booking that ABG does not know', async () => {
    const error = await errorOf(adapter.cancel?.(key, answering(refused(400, '150004'))));
    expect([error.fault, error.refusal]).toEqual(['rejected', 'not_found']);
  });
});
