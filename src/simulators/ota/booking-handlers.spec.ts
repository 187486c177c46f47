import { describe, expect, it } from '@jest/globals';
import type { BookRequest, ModifyRequest } from '../../model/bookings.js';
import { DECLINED_CARD, REJECTED_LAST_NAME, REQUESTED_LAST_NAME } from '../bookings.js';
import type { Directive } from '../world.js';
import { connect, NOW, type Setup } from './fixtures/connection.js';
import { bookingOf, driver, failureOf, keyOf, priced, rentalOf, search } from './fixtures/rental.js';
import { inventory } from './fixtures/tiny-inventory.js';

const DAY_MS = 86_400_000;
const usd = (amountMinor: number) => ({ amountMinor, currency: 'USD' });
const APL = { vendor: 'AL', vehicleCode: 'ECAR', rateQualifier: 'APL' };
const chosen = { extras: [{ code: '8', quantity: 2 }], coverages: ['32'] };
const spelling = {
  namespace: 'http://www.opentravel.org/OTA/2003/05/draft',
  prefix: 'ota',
  dateSeconds: false,
  dateSuffix: '+00:00',
  vendorCodeContext: 'IATA',
  gzip: true,
};
const envelopes: readonly [string, Setup][] = [
  ['a bare envelope', {}],
  [
    'SOAP, extended codes and a rate without estimated total',
    {
      dialect: { envelope: 'soap11', locationTemplate: '{iata}T01', totalFrom: 'rate_plus_fees', emptyAs: 'error' },
      options: {
        envelope: 'soap11',
        locationCode: { context: 'OAG', template: '{iata}T01' },
        totalFrom: 'rate_plus_fees',
      },
    },
  ],
  ['the gateway reference in VehResRQInfo', { options: { ownReference: 'reference' } }],
  ['every spelling option, required by the supplier', { dialect: spelling, options: spelling }],
];

async function booked(setup: Setup = {}, own: Partial<BookRequest> = {}) {
  const connection = connect(setup);
  const request = bookingOf(await priced(connection), own);
  const booking = await connection.adapter.book?.(request, connection.context);
  if (!booking) throw new Error('the adapter lacks the operation');
  return { ...connection, request, booking };
}

describe.each(envelopes)('a booking over %s', (_name, setup) => {
  it('is priced, booked, read, found by its renter, changed, cancelled and cancelled again', async () => {
    const connection = connect(setup);
    const { adapter, context, ledger } = connection;
    const offered = await priced(connection, chosen);
    // 171.11, two child seats at 30.00 (capped) each, personal accident insurance for three days at 7.00.
    expect(offered.offer.price).toMatchObject({
      total: usd(25_211),
      extras: usd(6_000),
      coverages: usd(2_100),
      unitemised: undefined,
    });

    const request = bookingOf(offered);
    const booking = await adapter.book?.(request, context);
    expect(booking).toMatchObject({
      status: 'confirmed',
      confirmationNumber: expect.stringMatching(/^AL\d{9}$/),
      reference: 'FC_0001',
      total: usd(25_211),
      pickupDate: '2026-06-10T10:00:00',
      dropoffDate: '2026-06-13T10:00:00',
      sippCode: 'ECAR',
      extras: [{ code: '8', quantity: 2 }],
    });
    expect(ledger.all()).toMatchObject([
      { reference: 'FC_0001', firstName: 'Ada', lastName: 'Sample', coverages: ['32'], total: 25_211 },
    ]);

    const key = keyOf(request, booking);
    expect((await adapter.retrieve?.(key, context))?.items).toEqual([booking]);
    expect((await adapter.retrieve?.(keyOf(request), context))?.items).toEqual([booking]);

    const without: ModifyRequest = {
      ...request,
      extras: [],
      total: usd(19_211),
      confirmationNumber: key.confirmationNumber ?? '',
      changes: ['extras', 'remark'],
      remark: 'Early',
    };
    const changed = await adapter.modify?.(without, context);
    expect(changed).toMatchObject({
      status: 'confirmed',
      confirmationNumber: key.confirmationNumber,
      total: usd(19_211),
    });
    expect((await adapter.retrieve?.(key, context))?.items).toEqual([changed]);
    expect(ledger.all()).toMatchObject([{ remark: 'Early', extras: [], coverages: ['32'] }]);

    expect(await adapter.cancel?.(key, context)).toEqual({
      fee: usd(0),
      cancellationNumber: `X${key.confirmationNumber}`,
    });
    expect((await adapter.retrieve?.(key, context))?.items).toMatchObject([{ status: 'cancelled' }]);
    expect((await adapter.retrieve?.(keyOf(request), context))?.items).toMatchObject([
      { status: 'cancelled', reference: 'FC_0001' },
    ]);
    expect(await adapter.cancel?.(key, context)).toEqual({});
    expect(ledger.size).toBe(1);
  });

  it('keeps the discount and the additional driver of an offer in the price check and the booking', async () => {
    const connection = connect(setup);
    const asked = {
      ...search,
      discountCodes: [{ type: 'promo', value: 'SAVE10' } as const],
      loyalty: [{ number: 'SIM7' }],
      additionalDrivers: 1,
    };
    const [offer] = (await connection.adapter.searchVehicles?.(asked, connection.context))?.items ?? [];
    if (!offer) throw new Error('no offer');
    expect(offer.price.total).toEqual(usd(19_511));
    const rental = rentalOf(offer);
    const [checked] = (await connection.adapter.priceCheck?.(rental, connection.context))?.items ?? [];
    expect([checked?.price.total, checked?.rate.discountsApplied]).toEqual([usd(19_511), ['SAVE10']]);
    const request = bookingOf({ offer, rental });
    expect(await connection.adapter.book?.(request, connection.context)).toMatchObject({ total: usd(19_511) });
  });

  it('returns an empty list if no booking matches', async () => {
    const { adapter, context, request, booking } = await booked(setup);
    const find = async (own: Partial<ReturnType<typeof keyOf>>) =>
      (await adapter.retrieve?.({ ...keyOf(request), ...own }, context))?.items;
    expect(await find({ confirmationNumber: 'AL000000000' })).toEqual([]);
    expect(await find({ confirmationNumber: booking.confirmationNumber, lastName: 'Other' })).toEqual([]);
    expect(await find({ lastName: 'Other' })).toEqual([]);
    expect(await find({ firstName: 'Eda' })).toEqual([]);
    expect(await find({ pickupDate: '2026-06-11T10:00:00' })).toEqual([]);
    expect(await find({ reference: 'FC_0002' })).toEqual([]);
  });
});

describe('two bookings of one renter at the same time', () => {
  const two = async () => {
    const first = await booked();
    const other = { ...first.request, reference: 'FC_0002' };
    await first.adapter.book?.(other, first.context);
    return { ...first, other };
  };

  it('are distinguished by their reference', async () => {
    const { adapter, context, request, booking, other } = await two();
    expect((await adapter.retrieve?.(keyOf(request), context))?.items).toEqual([booking]);
    expect((await adapter.retrieve?.(keyOf(other), context))?.items).toMatchObject([{ reference: 'FC_0002' }]);
  });

  it('are both returned if they have the same reference, so that a duplicate is detected', async () => {
    const { adapter, context, request } = await booked();
    await adapter.book?.(request, context);
    expect((await adapter.retrieve?.(keyOf(request), context))?.items).toHaveLength(2);
  });

  it('leave the active one if the other with the same reference is cancelled', async () => {
    const { adapter, context, request, booking } = await booked();
    const again = await adapter.book?.(request, context);
    await adapter.cancel?.(keyOf(request, booking), context);
    expect((await adapter.retrieve?.(keyOf(request), context))?.items).toEqual([again]);
  });
});

describe('refusals of the simulated supplier', () => {
  const refusedBook = async (
    own: Partial<BookRequest>,
    directive: Directive = { verb: 'ok' },
    payment = 'pay_later',
  ) => {
    const connection = connect();
    const request = { ...bookingOf(await priced(connection, {}, 'ECAR', payment)), ...own };
    const failure = await failureOf(connection.adapter.book?.(request, connection.contextOf(directive)));
    return [failure, connection.ledger.size];
  };
  const card = { number: DECLINED_CARD, expiryMonth: 7, expiryYear: 2029, holder: 'Ada Sample' };

  it.each<[string, Partial<BookRequest>, Directive, string]>([
    ['a price that rose after it was accepted', {}, { verb: 'price', percent: 10 }, 'rejected price_changed'],
    ['a car that is sold out', {}, { verb: 'sold_out' }, 'rejected sold_out'],
    ['a car that does not exist', { ref: { ...APL, vehicleCode: 'XXXX' } }, { verb: 'ok' }, 'rejected sold_out'],
    ['a rate that does not exist', { ref: { ...APL, rateQualifier: 'NO' } }, { verb: 'ok' }, 'rejected invalid_rate'],
    ['a driver under the minimum age of the car', { age: 20 }, { verb: 'ok' }, 'rejected not_eligible'],
    ['a declined card', { payment: { type: 'card', card } }, { verb: 'ok' }, 'rejected card_declined'],
    [
      'an extra that is not available',
      { extras: [{ code: '13', quantity: 1 }] },
      { verb: 'ok' },
      'rejected extra_not_available',
    ],
    [
      'a quantity of an extra above its maximum',
      { extras: [{ code: '8', quantity: 3 }] },
      { verb: 'ok' },
      'rejected extra_not_available',
    ],
    ['a coverage that is not available', { coverages: ['40'] }, { verb: 'ok' }, 'rejected extra_not_available'],
    ['a pickup that has passed', { pickupDate: '2026-04-01T10:00:00' }, { verb: 'ok' }, 'rejected'],
    [
      'a location that does not exist',
      { ref: { ...APL, pickupCode: 'NO1' } },
      { verb: 'ok' },
      'rejected invalid_location',
    ],
    ['a renter without a name', { driver: { ...driver, firstName: '' } }, { verb: 'ok' }, 'rejected'],
    ['wrong credentials', {}, { verb: 'auth' }, 'auth'],
    ['too many calls', {}, { verb: 'throttled' }, 'throttled'],
  ])('refuses %s and books nothing', async (_name, own, directive, failure) => {
    expect(await refusedBook(own, directive)).toEqual([failure, 0]);
  });

  it.each([['1.234'], ['171,11'], ['171.115']])('refuses %s as the accepted total and books nothing', async (total) => {
    const { simulator, ledger, calls, request } = await booked();
    const sent = calls.at(-1);
    const before = ledger.size;
    const body = (sent?.body ?? '').replace(/(EstimatedTotalAmount)="[^"]*"/, `$1="${total}"`);
    expect(body).toContain(`="${total}"`);
    const answer = simulator.answer({
      method: 'POST',
      path: '/ota',
      query: new URLSearchParams(),
      headers: sent?.headers ?? {},
      body: body.replaceAll(request.reference, 'FC_0002'),
      directive: { verb: 'ok' },
    });
    expect([answer.status, ledger.size]).toEqual([200, before]);
    expect(answer.body).toContain('Message cannot be read');
  });

  it('accepts a valid card, a voucher, and a price that fell', async () => {
    const good = { type: 'card', card: { ...card, number: '4111111111111111' } } as const;
    expect(await refusedBook({ payment: good })).toEqual(['none', 1]);
    expect(await refusedBook({ payment: { type: 'voucher', voucher: 'V-1' } })).toEqual(['none', 1]);
    expect(await refusedBook({}, { verb: 'price', percent: -10 })).toEqual(['none', 1]);
    expect(await refusedBook({}, { verb: 'ok' }, 'pay_now')).toEqual(['none', 1]);
  });

  it('refuses unknown bookings, wrong names and changes after the start', async () => {
    const { adapter, context, request, booking, clock } = await booked();
    const key = keyOf(request, booking);
    const modify = (own: Partial<ModifyRequest>) =>
      failureOf(
        adapter.modify?.(
          { ...request, confirmationNumber: booking.confirmationNumber ?? '', changes: ['contact'], ...own },
          context,
        ),
      );
    expect(await failureOf(adapter.cancel?.({ ...key, confirmationNumber: 'AL000000000' }, context))).toBe(
      'rejected not_found',
    );
    expect(await failureOf(adapter.cancel?.({ ...key, lastName: 'Other' }, context))).toBe('rejected not_found');
    expect(await modify({ confirmationNumber: 'AL000000000' })).toBe('rejected not_found');
    expect(await modify({ dropoffDate: '2026-06-14T10:00:00', total: usd(100) })).toBe('rejected price_changed');
    clock.now = Date.parse('2026-06-10T14:00:00Z');
    expect(await failureOf(adapter.cancel?.(key, context))).toBe('rejected not_changeable');
    clock.now = NOW;
    await adapter.cancel?.(key, context);
    expect(await modify({})).toBe('rejected not_changeable');
  });

  it('keeps the price if a change does not affect it', async () => {
    const { adapter, contextOf, request, booking } = await booked();
    const change: ModifyRequest = {
      ...request,
      confirmationNumber: booking.confirmationNumber ?? '',
      changes: ['contact'],
    };
    const changed = await adapter.modify?.(
      { ...change, driver: { ...driver, lastName: 'Renamed' } },
      contextOf({ verb: 'price', percent: 50 }),
    );
    expect(changed?.total).toEqual(request.total);
  });
});

describe('price check', () => {
  const check = async (directive: Directive, own: Partial<BookRequest> = {}, setup: Setup = {}) => {
    const connection = connect(setup);
    const { rental } = await priced(connection);
    return connection.adapter.priceCheck?.({ ...rental, ...own }, connection.contextOf(directive));
  };

  it('returns the current offer, ready to book, without a warning', async () => {
    const connection = connect();
    const { rental, offer } = await priced(connection);
    const found = await connection.adapter.searchVehicles?.(search, connection.context);
    expect(await connection.adapter.priceCheck?.(rental, connection.context)).toEqual({
      items: [found?.items[0]],
      warnings: [],
    });
    expect(offer.supplierRef).toEqual(found?.items[0]?.supplierRef);
  });

  it('supports scenarios price, on_request, empty and sold_out', async () => {
    expect((await check({ verb: 'price', percent: 10 }))?.items[0]?.price.total).toEqual(usd(18_111));
    expect((await check({ verb: 'on_request' }))?.items[0]?.status).toBe('on_request');
    expect((await check({ verb: 'empty' }))?.items).toEqual([]);
    expect((await check({ verb: 'empty' }, {}, { dialect: { emptyAs: 'error' } }))?.items).toEqual([]);
    expect((await check({ verb: 'sold_out' }))?.items).toEqual([]);
  });

  it('refuses a driver who is too young, and supports scenarios auth and throttled', async () => {
    expect(await failureOf(check({ verb: 'ok' }, { age: 19 }))).toBe('rejected not_eligible');
    expect(await failureOf(check({ verb: 'auth' }))).toBe('auth');
    expect(await failureOf(check({ verb: 'throttled' }))).toBe('throttled');
  });

  it('includes chosen options in a prepaid total', async () => {
    const { offer } = await priced(connect(), chosen, 'ECAR', 'pay_now');
    expect(offer.price).toMatchObject({ total: usd(24_411), dueNow: usd(24_411), dueAtCounter: usd(0) });
  });
});

describe('answers without content', () => {
  it('make a booking, which is found by its renter', async () => {
    const { adapter, contextOf, context, request, ledger } = await booked();
    const lost = { ...request, reference: 'FC_0003' };
    expect(await failureOf(adapter.book?.(lost, contextOf({ verb: 'empty' })))).toBe('bad_payload');
    expect(ledger.size).toBe(2);
    expect((await adapter.retrieve?.(keyOf(lost), context))?.items).toMatchObject([
      { status: 'confirmed', reference: 'FC_0003' },
    ]);
  });

  it('change and cancel a booking', async () => {
    const { adapter, contextOf, context, request, booking } = await booked();
    const key = keyOf(request, booking);
    const change: ModifyRequest = {
      ...request,
      confirmationNumber: key.confirmationNumber ?? '',
      changes: ['remark'],
      remark: 'Late',
    };
    expect(await failureOf(adapter.modify?.(change, contextOf({ verb: 'empty' })))).toBe('bad_payload');
    expect(await failureOf(adapter.cancel?.(key, contextOf({ verb: 'empty' })))).toBe('bad_payload');
    expect((await adapter.retrieve?.(key, context))?.items).toMatchObject([{ status: 'cancelled' }]);
  });
});

it('extras of a certain renter are only on request at first', async () => {
  const connection = connect();
  const { adapter, context, clock } = connection;
  const extras = [{ code: '8', quantity: 1 }];
  const offered = await priced(connection, { extras });
  const named = (lastName: string) => bookingOf(offered, { extras, driver: { ...driver, lastName } });
  const request = named(REQUESTED_LAST_NAME);
  const booking = await adapter.book?.(request, context);
  const found = async () => (await adapter.retrieve?.(keyOf(request, booking), context))?.items[0];
  const extraNotices = [{ status: 'on_request', codes: ['7', '8', '9', '57'] }];
  for (const shown of [booking, await found()])
    expect(shown).toMatchObject({ status: 'confirmed', extras, extraNotices });
  clock.now += 6_000;
  const confirmed = await found();
  expect([confirmed?.extras, confirmed?.extraNotices]).toEqual([extras, undefined]);
  expect((await adapter.book?.(named('Sample'), context))?.extraNotices).toBeUndefined();
});

describe('on request', () => {
  const asked = async (lastName: string) => {
    const connection = connect();
    const request = bookingOf(await priced(connection), { driver: { ...driver, lastName } });
    const booking = await connection.adapter.book?.(request, connection.contextOf({ verb: 'on_request' }));
    const later = async () => {
      connection.clock.now += 6_000;
      return (await connection.adapter.retrieve?.(keyOf(request, booking), connection.context))?.items[0]?.status;
    };
    return { ...connection, request, booking, later };
  };

  it('is accepted or rejected after a while', async () => {
    const accepted = await asked('Sample');
    expect(accepted.booking).toMatchObject({ status: 'on_request', confirmationNumber: expect.any(String) });
    expect(await accepted.later()).toBe('confirmed');
    expect(await (await asked(REJECTED_LAST_NAME)).later()).toBe('rejected');
  });

  it('is the status of a booking of an on-request car', async () => {
    const connection = connect();
    const request = bookingOf(await priced(connection, {}, 'FFAE'));
    expect(await connection.adapter.book?.(request, connection.context)).toMatchObject({ status: 'on_request' });
  });

  it('is free to cancel before it is accepted', async () => {
    const { adapter, context, request, booking, clock } = await asked('Sample');
    clock.now = NOW;
    expect(await adapter.cancel?.(keyOf(request, booking), context)).toMatchObject({ fee: usd(0) });
  });
});

describe('cancellation fee', () => {
  const feeAt = async (instant: string, payment = 'pay_later', sippCode = 'ECAR') => {
    const instantCar = {
      ...inventory,
      carsFor: (rental: Parameters<typeof inventory.carsFor>[0]) => immediate(inventory.carsFor(rental)),
    };
    const connection = connect({ inventory: instantCar });
    const request = bookingOf(await priced(connection, {}, sippCode, payment));
    const booking = await connection.adapter.book?.(request, connection.context);
    connection.clock.now = Date.parse(instant);
    return (await connection.adapter.cancel?.(keyOf(request, booking), connection.context))?.fee;
  };
  const immediate = (cars: ReturnType<typeof inventory.carsFor>) =>
    cars.map((offer) => ({ ...offer, car: { ...offer.car, onRequest: false } }));

  // Pickup is at 10:00 in Boston (14:00 UTC); cancellation is free until 48 hours before.
  it.each([
    ['in the last free minute', '2026-06-08T14:00:00Z', 'pay_later', 'ECAR', 0],
    ['a minute later', '2026-06-08T14:01:00Z', 'pay_later', 'ECAR', 3_333],
    ['of a prepaid rate in the free period', '2026-06-08T14:00:00Z', 'pay_now', 'ECAR', 0],
    ['of a prepaid rate after the free period', '2026-06-08T14:01:00Z', 'pay_now', 'ECAR', 16_311],
    ['of a non-refundable rate', new Date(NOW + DAY_MS).toISOString(), 'pay_later', 'FFAE', 17_111],
  ])('%s is the fee of the rate', async (_name, instant, payment, sippCode, fee) => {
    expect(await feeAt(instant, payment, sippCode)).toEqual(usd(fee));
  });
});

describe('requirements for messages', () => {
  const { simulator } = connect();
  const raw = (body: string) =>
    simulator.answer({
      method: 'POST',
      path: '/ota',
      query: new URLSearchParams(),
      headers: {},
      body,
      directive: { verb: 'ok' },
    }).body;

  it.each(['OTA_VehRateRuleRQ', 'OTA_VehResRQ', 'OTA_VehModifyRQ', 'OTA_VehCancelRQ', 'OTA_VehRetResRQ'])(
    'reports the missing members of an empty %s',
    (name) => {
      expect(raw(`<${name}/>`)).toContain('<Error Type="10" Code="321"');
    },
  );

  it('reports a missing card expiry before anything is booked', async () => {
    const connection = connect();
    const request = bookingOf(await priced(connection), {
      payment: {
        type: 'card',
        card: { number: '4111111111111111', expiryMonth: 7, expiryYear: 2029, holder: 'Ada Sample' },
      },
    });
    await connection.adapter.book?.(request, connection.context);
    const body = (connection.calls.at(-1)?.body ?? '').replace(/ ExpireDate="\d+"/, '');
    expect(raw(body)).toContain('Code="321"');
    expect(simulator.ledger.size).toBe(0);
  });

  it('recognizes the messages that change bookings, in both envelopes', () => {
    const changes = (body: string) =>
      simulator.changesBookings({
        method: 'POST',
        path: '/ota',
        query: new URLSearchParams(),
        headers: {},
        body,
        directive: { verb: 'ok' },
      });
    const soap = (name: string) => `<s:Envelope xmlns:s="u"><s:Body><o:${name} xmlns:o="v"/></s:Body></s:Envelope>`;
    const names = [
      'VehResRQ',
      'VehModifyRQ',
      'VehCancelRQ',
      'VehRetResRQ',
      'VehRateRuleRQ',
      'VehAvailRateRQ',
      'VehLocSearchRQ',
    ];
    expect(names.map((name) => changes(`<OTA_${name}/>`))).toEqual([true, true, true, false, false, false, false]);
    expect(names.map((name) => changes(soap(`OTA_${name}`)))).toEqual([true, true, true, false, false, false, false]);
    expect(changes('no xml')).toBe(false);
  });
});

it("has the renter's data only in bodies", async () => {
  const { adapter, calls, context, request, booking } = await booked(
    {},
    { payment: { type: 'voucher', voucher: 'V-77' } },
  );
  await adapter.retrieve?.(keyOf(request, booking), context);
  await adapter.cancel?.(keyOf(request, booking), context);
  for (const { path, headers } of calls)
    expect(`${path} ${JSON.stringify(headers)}`).not.toMatch(/sample|ada|V-77|617/i);
});

it('books with the codes of the offer', async () => {
  const connection = connect();
  const found = await connection.adapter.searchVehicles?.(search, connection.context);
  const offer = found?.items[0];
  if (!offer) throw new Error('no offer');
  await connection.adapter.priceCheck?.({ ...rentalOf(offer), pickup: { countryCode: 'US' } }, connection.context);
  expect(connection.calls.at(-1)?.body).toContain('<PickUpLocation LocationCode="BOS"');
});
