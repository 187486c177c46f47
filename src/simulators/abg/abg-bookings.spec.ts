import { describe, expect, it } from '@jest/globals';
import { errorOf } from '../../adapters/abg/fixtures/setting.js';
import type { BookingKey, BookRequest, ModifyRequest, RentalRequest, SupplierBooking } from '../../model/bookings.js';
import type { VehicleSearch } from '../../model/offers.js';
import { DECLINED_CARD } from '../bookings.js';
import type { Directive, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { connect } from './fixtures/connected-adapter.js';

const place = { supplierCode: 'QLA', countryCode: 'US' };
const usd = (amountMinor: number) => ({ amountMinor, currency: 'USD' });

/**
 * Adapter, simulator and the offers of one search; `offers[1]` is car CDAR paid later, `offers[2]` the same paid now.
 */
async function connected(
  search: Partial<Pick<VehicleSearch, 'age' | 'discountCodes' | 'loyalty'>> & { readonly directive?: Directive } = {},
) {
  const link = connect();
  const { adapter, context } = link;
  const found = await adapter.searchVehicles?.(
    {
      pickup: place,
      dropoff: place,
      pickupDate: '2031-05-06T10:00:00',
      dropoffDate: '2031-05-09T10:00:00',
      countryCode: 'US',
      age: search.age ?? 35,
      brands: ['Avis'],
      sippCodes: [],
      discountCodes: search.discountCodes ?? [],
      loyalty: search.loyalty ?? [],
      additionalDrivers: 0,
    },
    await context(search.directive),
  );
  const offers = found?.items ?? [];
  const rental = (index = 1, changes: Partial<RentalRequest> = {}): RentalRequest => ({
    brand: 'Avis',
    ref: offers[index]?.supplierRef ?? {},
    pickup: place,
    dropoff: place,
    pickupDate: '2031-05-06T10:00:00',
    dropoffDate: '2031-05-09T10:00:00',
    countryCode: 'US',
    age: 35,
    extras: [],
    coverages: [],
    ...changes,
  });
  const booking = (changes: Partial<BookRequest> = {}): BookRequest => ({
    ...rental(),
    reference: 'res_0123456789',
    total: usd(13_809),
    status: 'available',
    driver: { firstName: 'Ada', lastName: 'Sample', email: 'ada@example.com', phone: '+1 555 0100', loyalty: [] },
    additionalDrivers: [],
    payment: { type: 'counter' },
    pickupLater: false,
    notifyCustomer: false,
    ...changes,
  });
  const book = async (changes: Partial<BookRequest> = {}, directive?: Directive): Promise<SupplierBooking> => {
    const booked = await adapter.book?.(booking(changes), await context(directive));
    if (!booked) throw new Error('the adapter has no book');
    return booked;
  };
  const keyOf = ({ confirmationNumber = '' }: SupplierBooking, changes: Partial<BookingKey> = {}): BookingKey => {
    const { brand, ref, reference, driver, pickup, pickupDate } = booking();
    const { firstName, lastName } = driver;
    return { brand, ref, reference, confirmationNumber, firstName, lastName, pickup, pickupDate, ...changes };
  };
  const view = async (key: BookingKey): Promise<readonly SupplierBooking[] | undefined> =>
    (await adapter.retrieve?.(key, await context()))?.items;
  const price = async (request: RentalRequest, directive?: Directive) =>
    adapter.priceCheck?.(request, await context(directive));
  return { ...link, offers, rental, booking, book, keyOf, view, price };
}

const codeIn = (answer: SimulatedAnswer | undefined) =>
  `${answer?.status} ${JSON.parse(answer?.body ?? '{}').status?.errors?.[0]?.code}`;

describe('a rate request', () => {
  it('prices the car like the search, and chosen extras and coverages with their cap per rental', async () => {
    const { offers, rental, price } = await connected();
    const plain = (await price(rental()))?.items[0];
    expect(plain?.price.total).toEqual(offers[1]?.price.total);
    const chosen = (await price(rental(1, { extras: [{ code: 'CIS', quantity: 2 }], coverages: ['LDW'] })))?.items[0];
    expect(chosen?.price).toMatchObject({ extras: usd(5_200), coverages: usd(9_000) });
    expect(chosen?.price.total).toEqual(usd((plain?.price.total.amountMinor ?? 0) + 14_200));
    const counted = chosen?.price.items
      .filter((item) => item.includedInTotal)
      .reduce((sum, { amount }) => sum + amount.amountMinor, 0);
    expect(counted).toBe(chosen?.price.total.amountMinor);
    expect(chosen?.price.unitemised).toBeUndefined();
    expect(chosen?.price.items.find((item) => item.kind === 'equipment')).toMatchObject({
      code: 'CIS',
      amount: usd(5_200),
    });
  });

  it('lists the options with prices per day and rental, and included coverages with their excess', async () => {
    const { rental, price } = await connected();
    const offer = (await price(rental()))?.items[0];
    expect(offer?.extras).toMatchObject([
      { code: 'CIS', type: 'infant_seat', pricePerDay: usd(1_300), priceTotal: usd(2_600), maxQuantity: 3 },
      { code: 'ADD', type: 'additional_driver', pricePerDay: usd(1_100), priceTotal: usd(3_300), maxQuantity: 3 },
    ]);
    expect(offer?.coverages).toMatchObject([
      { code: 'TP', included: true, excess: usd(130_000) },
      { code: 'LDW', included: false, pricePerDay: usd(3_000), priceTotal: usd(9_000), excess: usd(0) },
    ]);
    expect(offer).toMatchObject({
      vehicle: { name: 'Talon T1', sippCode: 'CDAR' },
      fuelPolicy: 'full_to_full',
      rentalDays: 3,
    });
  });

  it('has a separate price for a prepaid car', async () => {
    const { offers, rental, price } = await connected();
    const prepaid = (await price(rental(2)))?.items[0];
    expect(prepaid?.price.total).toEqual(offers[2]?.price.total);
    expect(prepaid?.price.dueNow).toEqual(prepaid?.price.total);
    expect(prepaid?.price.total.amountMinor).toBeLessThan(offers[1]?.price.total.amountMinor ?? 0);
  });

  it('keeps the discounts of a quote without the membership, and confirms its codes', async () => {
    const { offers, rental, price, book, view, keyOf } = await connected({
      discountCodes: [{ type: 'corporate', value: 'CORP15' }],
      loyalty: [{ number: 'SIM12' }],
    });
    expect(offers[1]?.price.base).toEqual(usd(8_889));
    const quoted = (await price(rental()))?.items[0];
    expect(quoted?.price.total).toEqual(offers[1]?.price.total);
    expect(quoted?.rate.discountsApplied).toEqual(['CORP15']);
    const booking = await book({ total: quoted?.price.total ?? usd(0) });
    expect((await view(keyOf(booking)))?.[0]?.total).toEqual(quoted?.price.total);
  });

  it('confirms no code with a quote that has no discount', async () => {
    const { offers, rental, price } = await connected();
    const late = { ...rental(), ref: { ...rental().ref, discountCode: 'CORP15' } };
    const quoted = (await price(late))?.items[0];
    expect(quoted?.price.total).toEqual(offers[1]?.price.total);
    expect(quoted?.rate.discountsApplied ?? []).toEqual([]);
  });

  it('keeps the price of a quote, unless scenario price moves it', async () => {
    const { offers, rental, price } = await connected({ directive: { verb: 'price', percent: 10 } });
    const kept = (await price(rental()))?.items[0];
    expect(kept?.price.total).toEqual(offers[1]?.price.total);
    expect(kept?.price.base).toEqual(usd(12_222));
    const moved = (await price(rental(), { verb: 'price', percent: 20 }))?.items[0];
    expect(moved?.price.base).toEqual(usd(13_333));
    const later = (await price({ ...rental(), ref: moved?.supplierRef ?? {} }))?.items[0];
    expect(later?.price.base).toEqual(usd(13_333));
  });

  it('keeps the booked rate only if the change sends back the proof from the look-up before it', async () => {
    const { adapter, rental, booking, book, keyOf, view, price, context } = await connected();
    const dearer: Directive = { verb: 'price', percent: 20 };
    const made = await book();
    const { confirmationNumber = '' } = made;
    const [plain] = (await view(keyOf(made))) ?? [];
    const [shown] = (await view(keyOf(made, { isForChange: true }))) ?? [];
    expect([plain?.rateGuarantee, shown?.rateGuarantee]).toEqual([undefined, expect.any(String)]);
    const { rateGuarantee = '' } = shown ?? {};
    const change = async (more: Partial<ModifyRequest>) => {
      const request = {
        ...booking(),
        confirmationNumber,
        remark: 'Three cases',
        changes: ['remark'] as const,
        ...more,
      };
      return (await adapter.modify?.(request, await context(dearer)))?.total;
    };
    const priced = async (more: Partial<RentalRequest>) => (await price(rental(1, more), dearer))?.items[0]?.price.base;
    expect(await priced({ rateGuarantee })).toEqual(usd(11_111));
    expect(await change({ rateGuarantee })).toEqual(made.total);
    for (const foreign of [`${rateGuarantee}1`, '', confirmationNumber]) {
      expect(await priced({ rateGuarantee: foreign })).toEqual(usd(13_333));
    }
    expect(await priced({ rateGuarantee, ref: { ...rental(2).ref } })).not.toEqual(usd(11_111));
    expect((await change({}))?.amountMinor).toBeGreaterThan(made.total?.amountMinor ?? 0);
    expect((await view(keyOf(made)))?.[0]?.total).not.toEqual(made.total);
  });

  it('ignores an unknown quote and one of another car', async () => {
    const { rental, price } = await connected({ directive: { verb: 'price', percent: 10 } });
    const { quoteId } = rental(0).ref;
    for (const foreign of [quoteId ?? '', 'abc-1', 'q1_10']) {
      const quote = (await price({ ...rental(), ref: { ...rental().ref, quoteId: foreign } }))?.items[0];
      expect(quote?.price.base).toEqual(usd(11_111));
    }
  });

  it.each<readonly [Directive, string]>([
    [{ verb: 'sold_out' }, '404 223'],
    [{ verb: 'empty' }, '404 223'],
  ])('has no car in scenario %j', async (directive, code) => {
    const { adapter, rental, context } = await connected();
    const asked = await context(directive);
    expect(await adapter.priceCheck?.(rental(), asked)).toEqual({ items: [], warnings: [] });
    expect(codeIn(asked.answers[0])).toBe(code);
  });

  it.each<readonly [Directive['verb'], string]>([
    ['auth', 'auth'],
    ['throttled', 'throttled'],
  ])('fails in scenario %s', async (verb, fault) => {
    const { rental, price } = await connected();
    expect((await errorOf(price(rental(), { verb } as Directive))).fault).toBe(fault);
  });

  it.each<readonly [string, Partial<RentalRequest>, string, string | undefined]>([
    ['an unknown rate code', { ref: { rateCode: 'XX' } }, '400 14105', 'invalid_rate'],
    [
      'a prepaid code for a car that is not sold prepaid',
      { ref: { sippCode: 'ECMR', rateCode: 'P9' } },
      '400 14105',
      'invalid_rate',
    ],
    ['an unknown class', { ref: { sippCode: 'ZZZZ' } }, '400 14022', 'invalid_rate'],
    ['a driver too young for the class', { ref: { sippCode: 'IFAH' }, age: 22 }, '400 14022', 'invalid_rate'],
    ['an unknown pickup', { ref: { pickupCode: 'NOPE' } }, '400 203', 'invalid_location'],
    ['an unknown dropoff', { ref: { dropoffCode: 'NOPE' } }, '400 205', 'invalid_location'],
    ['a brand without inventory', { brand: 'Payless' }, '400 203', 'invalid_location'],
    ['a brand in capitals', { brand: 'AVIS' }, '400 400', undefined],
    ['an invalid country of residence', { countryCode: 'usa' }, '400 13213', undefined],
    ['a pickup in the past', { pickupDate: '2031-05-01T07:00:00' }, '400 231', undefined],
    ['a return at the pickup time', { dropoffDate: '2031-05-06T10:00:00' }, '400 232', undefined],
    ['a rental that is too long', { dropoffDate: '2032-05-06T10:00:00' }, '400 221', undefined],
    ['an invalid date', { dropoffDate: '2031-05-09' }, '400 400', undefined],
    [
      'a pickup at a closed location',
      { ref: { pickupCode: 'Q7B' }, pickupDate: '2031-05-04T10:00:00' },
      '400 242',
      'location_closed',
    ],
    [
      'a return at a closed location',
      { ref: { dropoffCode: 'Q7B' }, dropoffDate: '2031-05-11T10:00:00' },
      '400 14261',
      'location_closed',
    ],
    ['an extra that is not available', { extras: [{ code: 'SKR', quantity: 1 }] }, '400 400', undefined],
    ['a quantity of an extra above its maximum', { extras: [{ code: 'CIS', quantity: 4 }] }, '400 400', undefined],
    ['a coverage that is not available', { coverages: ['PKG'] }, '400 14299', 'extra_not_available'],
  ])('refuses %s', async (_what, changes, code, refusal) => {
    const { adapter, rental, context } = await connected();
    const asked = await context();
    const request = { ...rental(), ...changes, ref: { ...rental().ref, ...changes.ref } };
    const error = await errorOf(adapter.priceCheck?.(request, asked));
    expect([codeIn(asked.answers[0]), error.fault, error.refusal]).toEqual([code, 'rejected', refusal]);
  });

  it('returns no items if the one-way rental is not offered', async () => {
    const { rental, price } = await connected();
    expect((await price({ ...rental(), ref: { ...rental().ref, dropoffCode: 'Q1A' } }))?.items).toEqual([]);
  });

  it('is 415 without JSON, 400 with incomplete JSON, and echoes the transaction_id of the body', async () => {
    const { context } = await connected();
    const { http } = await context();
    const call = { method: 'POST', path: '/cars/catalog/v2/vehicles/rates' } as const;
    const headers = { 'content-type': 'application/json' };
    expect((await http.send({ ...call, body: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await http.send({ ...call, body: '{"product":', headers })).status).toBe(400);
    const answer = await http.send({ ...call, body: '{"transaction":{"transaction_id":"t-1"}}', headers });
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      transaction: { transaction_id: 't-1' },
      status: { errors: [{ code: '400', details: "Missing required field 'brand'" }] },
    });
  });
});

describe('a booking', () => {
  it('goes from creation to a second cancellation, with matching answers at each step', async () => {
    const { adapter, booking, book, keyOf, view, ledger, context } = await connected();
    const booked = await book({ extras: [{ code: 'CIS', quantity: 1 }], coverages: ['LDW'], remark: 'Two big dogs' });
    const key = keyOf(booked);
    expect(booked.confirmationNumber).toMatch(/^\d{8}US\d$/);
    expect(booked).toMatchObject({
      status: 'confirmed',
      total: usd(25_409),
      sippCode: 'CDAR',
      extras: [{ code: 'CIS', quantity: 1 }],
    });
    expect(await view(key)).toEqual([booked]);
    expect(ledger.byReference('res_0123456789')).toMatchObject([
      {
        confirmation: booked.confirmationNumber,
        status: 'confirmed',
        lastName: 'Sample',
        email: 'ada@example.com',
        phone: '+1 555 0100',
        coverages: ['LDW'],
        remark: 'Two big dogs',
        total: 25_409,
      },
    ]);

    const { confirmationNumber = '' } = booked;
    const arrival = { carrierCode: 'QX', flightNumber: '349' };
    const contact: ModifyRequest = {
      ...booking({ arrival, driver: { ...booking().driver, phone: '+1 555 0199' } }),
      confirmationNumber,
      changes: ['contact', 'arrival'],
    };
    expect(await adapter.modify?.(contact, await context())).toEqual({
      status: 'confirmed',
      confirmationNumber,
      ref: {},
    });
    expect(ledger.all()).toMatchObject([
      { phone: '+1 555 0199', flight: 'QX 349', total: 25_409, remark: 'Two big dogs' },
    ]);

    const whole: ModifyRequest = {
      ...contact,
      dropoffDate: '2031-05-10T10:00:00',
      extras: [],
      coverages: [],
      changes: ['rental', 'extras', 'coverages'],
    };
    const changed = await adapter.modify?.(whole, await context());
    expect(changed).toMatchObject({
      confirmationNumber,
      dropoffDate: '2031-05-10T10:00:00',
      total: usd(13_809),
    });
    // None has a quantity, which says nothing.
    expect(changed?.extras).toBeUndefined();
    expect(await view(key)).toEqual([changed]);
    expect(ledger.byReference('res_0123456789')).toMatchObject([
      { flight: 'QX 349', coverages: [], status: 'confirmed' },
    ]);

    expect(await adapter.cancel?.(key, await context())).toEqual({});
    expect(await view(key)).toEqual([{ status: 'cancelled', confirmationNumber, ref: {} }]);
    expect(await adapter.cancel?.(key, await context())).toEqual({});
    const tooLate = await errorOf(adapter.modify?.(contact, await context()));
    expect([tooLate.fault, tooLate.refusal]).toEqual(['rejected', 'not_changeable']);
    expect(ledger.size).toBe(1);
  });

  it('is duplicated by a second create with the same reference, because ABG is not idempotent', async () => {
    const { book, ledger } = await connected();
    const [first, second] = [await book(), await book()];
    expect(first.confirmationNumber).not.toBe(second.confirmationNumber);
    expect(ledger.byReference('res_0123456789')).toHaveLength(2);
  });

  it('is found only by its number and last name, ignoring case', async () => {
    const { book, keyOf, view } = await connected();
    const booked = await book();
    expect(await view(keyOf(booked, { lastName: 'SAMPLE' }))).toHaveLength(1);
    expect(await view(keyOf(booked, { lastName: 'Other' }))).toEqual([]);
    expect(await view(keyOf(booked, { confirmationNumber: '00000000US0' }))).toEqual([]);
    expect(await view(keyOf(booked, { brand: 'Budget' }))).toEqual([]);
  });

  it('cannot be changed or cancelled under another last name', async () => {
    const { adapter, booking, book, keyOf, ledger, context } = await connected();
    const booked = await book();
    const { confirmationNumber = '' } = booked;
    const driver = { ...booking().driver, lastName: 'Other' };
    const outcomes = [
      adapter.cancel?.(keyOf(booked, { lastName: 'Other' }), await context()),
      adapter.modify?.({ ...booking({ driver }), confirmationNumber, changes: ['contact'] }, await context()),
      adapter.modify?.({ ...booking({ driver }), confirmationNumber, changes: ['remark'] }, await context()),
    ];
    for (const outcome of outcomes) expect((await errorOf(outcome)).refusal).toBe('not_found');
    expect(ledger.all()).toMatchObject([{ status: 'confirmed', lastName: 'Sample' }]);
  });

  it('of an on-request car is confirmed after a while; in scenario on_request every car is on request', async () => {
    for (const [index, directive] of [
      [3, undefined],
      [1, { verb: 'on_request' }],
    ] as const) {
      const { rental, book, keyOf, view, clock } = await connected();
      const booked = await book({ ...rental(index), status: 'on_request' }, directive);
      expect(booked.status).toBe('on_request');
      expect((await view(keyOf(booked)))?.[0]?.status).toBe('on_request');
      clock.now += 5_001;
      expect((await view(keyOf(booked)))?.[0]?.status).toBe('confirmed');
    }
  });

  it('on request is rejected for the renter whom suppliers reject', async () => {
    const { adapter, booking, book, keyOf, view, clock, context } = await connected();
    const driver = { ...booking().driver, lastName: 'Rejected' };
    const key = keyOf(await book({ driver }, { verb: 'on_request' }), { lastName: 'Rejected' });
    clock.now += 5_001;
    expect((await view(key))?.[0]?.status).toBe('rejected');
    expect(await adapter.cancel?.(key, await context())).toEqual({});
    expect((await view(key))?.[0]?.status).toBe('rejected');
  });

  it('keeps the quoted price; in scenario price it has the current price', async () => {
    const { rental, book } = await connected({ directive: { verb: 'price', percent: 10 } });
    expect((await book(rental())).total).toEqual(usd(15_190));
    expect((await book(rental(), { verb: 'price', percent: 20 })).total).toEqual(usd(16_571));
  });

  it.each<readonly [Directive['verb'], string, string | undefined]>([
    ['sold_out', 'rejected', 'sold_out'],
    ['auth', 'auth', undefined],
    ['throttled', 'throttled', undefined],
  ])('is refused in scenario %s without effect', async (verb, fault, refusal) => {
    const { book, ledger } = await connected();
    const error = await errorOf(book({}, { verb } as Directive));
    expect([error.fault, error.refusal]).toEqual([fault, refusal]);
    expect(ledger.all()).toEqual([]);
  });

  it('in scenario empty, book, both changes and cancel are done but in doubt, because the success does not show it', async () => {
    const { adapter, booking, book, keyOf, ledger, context } = await connected();
    const empty: Directive = { verb: 'empty' };
    const asked = await context(empty);
    expect((await errorOf(adapter.book?.(booking(), asked))).fault).toBe('bad_payload');
    expect(asked.answers[0]?.status).toBe(201);
    expect(Object.keys(JSON.parse(asked.answers[0]?.body ?? ''))).toEqual(['status', 'transaction']);
    expect(ledger.byReference('res_0123456789')).toMatchObject([{ status: 'confirmed' }]);

    const booked = await book();
    const { confirmationNumber = '' } = booked;
    const change = { ...booking({ remark: 'Late', driver: { ...booking().driver, phone: '1' } }), confirmationNumber };
    expect((await errorOf(adapter.modify?.({ ...change, changes: ['remark'] }, await context(empty)))).fault).toBe(
      'bad_payload',
    );
    expect(ledger.byConfirmation(confirmationNumber)).toMatchObject({ remark: 'Late', phone: '1' });
    const other = { ...change, driver: { ...booking().driver, phone: '2' } };
    expect((await errorOf(adapter.modify?.({ ...other, changes: ['contact'] }, await context(empty)))).fault).toBe(
      'bad_payload',
    );
    expect(ledger.byConfirmation(confirmationNumber)).toMatchObject({ phone: '2' });
    expect((await errorOf(adapter.cancel?.(keyOf(booked), await context(empty)))).fault).toBe('bad_payload');
    expect(ledger.byConfirmation(confirmationNumber)?.status).toBe('cancelled');
  });

  it('accepts a card and a voucher; the declined card books nothing', async () => {
    const { book, ledger } = await connected();
    const card = { number: '4111111111111111', expiryMonth: 2, expiryYear: 2033, holder: 'ADA SAMPLE' };
    expect((await book({ payment: { type: 'card', card } })).status).toBe('confirmed');
    expect((await book({ payment: { type: 'voucher', voucher: '12313434' } })).status).toBe('confirmed');
    const declined = await errorOf(book({ payment: { type: 'card', card: { ...card, number: DECLINED_CARD } } }));
    expect([declined.fault, declined.refusal]).toEqual(['rejected', 'card_declined']);
    expect(declined.message).not.toContain(DECLINED_CARD);
    expect(ledger.size).toBe(2);
    expect(JSON.stringify(ledger.all())).not.toContain('4111');
  });

  it.each<readonly [string, (body: Record<string, Record<string, unknown>>) => void, string]>([
    ['a brand', ({ product }) => delete product?.brand, '200'],
    ['a pickup', ({ reservation }) => delete reservation?.pickup_location, '202'],
    ['a dropoff', ({ reservation }) => delete reservation?.dropoff_location, '204'],
    ['a pickup date', ({ reservation }) => delete reservation?.pickup_date, '400'],
    ['a vehicle', ({ reservation }) => delete reservation?.vehicle_sipp_code, '217'],
    ['a rate', (body) => Object.assign(body, { rate_totals: { rate: { country_code: 'US' } } }), '218'],
    ['a residence', (body) => Object.assign(body, { rate_totals: { rate: { rate_code: 'L4' } } }), '219'],
    ['a first name', (body) => Object.assign(body, { customer: { contact: { last_name: 'Sample' } } }), '210'],
    ['a last name', (body) => Object.assign(body, { customer: { contact: { first_name: 'Ada' } } }), '212'],
    [
      'a valid email address',
      (body) =>
        Object.assign(body, { customer: { contact: { first_name: 'Ada', last_name: 'Sample', email: 'ada' } } }),
      '215',
    ],
    [
      'a carrier code of two characters',
      (body) => Object.assign(body, { arrival_flight: { airline_code: 'QXX', airline_number: '1' } }),
      '237',
    ],
    [
      'a numeric flight number',
      (body) => Object.assign(body, { arrival_flight: { airline_code: 'QX', airline_number: '12345' } }),
      '239',
    ],
    [
      'complete card details',
      (body) => Object.assign(body, { payment_preference: { type: 'CustomerPaymentCard' } }),
      '300102',
    ],
    ['a voucher number', (body) => Object.assign(body, { payment_preference: { type: 'Voucher', id: '1' } }), '400'],
  ])('requires %s', async (_what, spoil, code) => {
    const { adapter, booking, ledger, context } = await connected();
    const asked = await context();
    await adapter.book?.(booking(), asked);
    const body = JSON.parse(asked.calls[0]?.body ?? '{}');
    spoil(body);
    const headers = { 'content-type': 'application/json' };
    const answer = await asked.http.send({
      method: 'POST',
      path: '/cars/reservation/v2',
      headers,
      body: JSON.stringify(body),
    });
    expect(`${answer.status} ${JSON.parse(answer.body.toString()).status.errors[0].code}`).toBe(`400 ${code}`);
    expect(ledger.size).toBe(1);
  });

  it.each([
    ['confirmation_number=1&last_name=x', '200'],
    ['brand=Avis&last_name=x', '220'],
    ['brand=Avis&confirmation_number=1', '212'],
    ['brand=AVIS&confirmation_number=1&last_name=x', '400'],
    ['brand=Avis&confirmation_number=1&last_name=x', '150004'],
  ])('is not shown for %s', async (query, code) => {
    const { context } = await connected();
    const answer = await (await context()).http.send({ method: 'GET', path: `/cars/reservation/v2?${query}` });
    expect(`${answer.status} ${JSON.parse(answer.body.toString()).status.errors[0].code}`).toBe(`400 ${code}`);
  });

  it('is shown without a client_id header, which the contract requires for all other calls', async () => {
    const { adapter, ask, book, booking, context, keyOf } = await connected();
    const booked = await book();
    const session = await adapter.authenticate?.({
      ...(await context()),
      http: { send: async (call) => ({ ...ask(call), body: Buffer.from(ask(call).body) }) },
    });
    const { authorization = '' } = session?.headers ?? {};
    const query = `brand=Avis&confirmation_number=${keyOf(booked).confirmationNumber}&last_name=Sample`;
    const view = (headers: Readonly<Record<string, string>>) =>
      ask({ method: 'GET', path: `/cars/reservation/v2?${query}`, headers });
    expect(view({ authorization }).status).toBe(200);
    expect(view({ authorization, client_id: 'wrong' }).status).toBe(401);
    expect(view({}).status).toBe(401);
    const body = JSON.stringify({ customer: { contact: { last_name: booking().driver.lastName } } });
    expect(ask({ method: 'PUT', path: '/cars/reservation/v2', headers: { authorization }, body }).status).toBe(401);
  });
});

describe('changesBookings', () => {
  it.each([
    ['POST', '/cars/reservation/v2', true],
    ['PATCH', '/cars/reservation/v2', true],
    ['PUT', '/cars/reservation/v2', true],
    ['PATCH', '/cars/reservation/v2/partial-modify', true],
    ['GET', '/cars/reservation/v2', false],
    ['POST', '/cars/catalog/v2/vehicles/rates', false],
    ['GET', '/cars/catalog/v2/vehicles', false],
    ['GET', '/oauth/token/v2', false],
  ])('%s %s: %s', (method, path, changes) => {
    const request: SimulatedRequest = {
      method,
      path,
      query: new URLSearchParams(),
      headers: {},
      body: '',
      directive: { verb: 'ok' },
    };
    expect(connect().simulator.changesBookings(request)).toBe(changes);
  });
});
