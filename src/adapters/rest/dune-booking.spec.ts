import { describe, expect, it } from '@jest/globals';
import type { BookingKey, BookRequest, ModifyRequest } from '../../model/bookings.js';
import { SupplierError } from '../../model/supplier.js';
import { outcomeOf, problem, type Reply, scripted } from './fixtures/replies.js';
import { shippedAdapter, shippedSettings } from './fixtures/shipped.js';
import { adapterOf } from './fixtures/tiny.js';

const adapter = shippedAdapter('dune');
const request: BookRequest = {
  brand: 'Dune',
  ref: { rateId: 'rate-one' },
  pickup: { countryCode: 'US' },
  dropoff: { countryCode: 'US' },
  pickupDate: '2031-05-06T10:00:00',
  dropoffDate: '2031-05-09T10:00:00',
  countryCode: 'GB',
  age: 41,
  extras: [{ code: 'GPS', quantity: 1 }],
  coverages: ['PAI'],
  reference: 'ref_0001',
  total: { amountMinor: 25_299, currency: 'USD' },
  status: 'available',
  driver: {
    firstName: 'Ada',
    lastName: 'Sample',
    email: 'ada@example.com',
    phone: '+12025550142',
    dateOfBirth: '1990-02-03',
    licence: { number: 'L-1', countryCode: 'GB' },
    address: { lines: ['1 Mill Lane'], city: 'Quarry', countryCode: 'GB' },
    loyalty: [{ number: 'W12' }],
  },
  additionalDrivers: [{ firstName: 'Bo', lastName: 'Sample' }],
  arrival: { carrierCode: 'QX', flightNumber: '123', arrivesAt: '2031-05-06T09:00:00' },
  payment: { type: 'counter' },
  remark: 'blue if possible',
  pickupLater: true,
  notifyCustomer: false,
};
const key: BookingKey = {
  brand: 'Dune',
  ref: {},
  reference: 'ref_0001',
  firstName: 'Ada',
  lastName: 'Sample',
  pickup: { countryCode: 'US' },
  pickupDate: '2031-05-06T10:00:00',
};
const numberedKey: BookingKey = { ...key, confirmationNumber: 'D17' };

const hold = (amount: string, currency = 'USD'): Reply => ({
  status: 201,
  body: { holdId: 'H1', status: 'held', total: { amount, currency }, expiresAt: '2031-05-01T12:10:00Z' },
});
const row = (status: string, more: object = {}) => ({
  status,
  ...(status === 'held' ? { holdId: 'H1' } : { number: 'D17' }),
  reference: 'ref_0001',
  total: { amount: '252.99', currency: 'USD' },
  ...more,
});
const booking = (status: string, more?: object): Reply => ({ status: 200, body: { booking: row(status, more) } });
const list = (...bookings: readonly object[]): Reply => ({ status: 200, body: { bookings } });
const released: Reply = { status: 204 };
const lost = new SupplierError('unavailable', 'the connection broke', true);

/** `outcome: METHOD path, …` of an operation against a scripted supplier. */
async function played(
  operation: 'book' | 'retrieve' | 'cancel',
  asked: BookingKey,
  ...replies: readonly Reply[]
): Promise<string> {
  const context = scripted(...replies);
  const performed = operation === 'book' ? adapter.book?.(request, context) : adapter[operation]?.(asked, context);
  const outcome = await outcomeOf(performed);
  return `${outcome}: ${context.calls.map(({ method, path }) => `${method} ${path}`).join(', ')}`;
}

it.each<[string, unknown, object]>([
  ['that is confirmed', 'OK', {}],
  ['without a status', undefined, {}],
  ['on request', 'RQ', { extraNotices: [{ status: 'on_request', codes: ['GPS'] }] }],
  ['with an unknown status', 'ZZ', { extraNotices: [{ status: 'on_request', codes: ['GPS'] }] }],
  ['that is not booked', 'NO', { extras: [] }],
])('reads an extra %s', async (_which, state, shown) => {
  const { tables, booking: mapped, ...manifest } = shippedSettings('dune').options as Record<string, object>;
  const extraStatus = { OK: 'confirmed', RQ: 'on_request', NO: 'not_booked' };
  const listed = { rows: 'extras', code: 'code', quantity: 'quantity', status: 'state' };
  const { retrieve } = adapterOf({
    ...manifest,
    auth: { kind: 'none' },
    tables: { ...tables, extraStatus },
    booking: { ...mapped, extras: listed },
  });
  const context = scripted(booking('confirmed', { extras: [{ code: 'GPS', quantity: 1, state }] }));
  const found = await retrieve?.(numberedKey, context);
  const { extras, extraNotices } = found?.items[0] ?? {};
  expect({ extras, extraNotices }).toEqual({
    extras: [{ code: 'GPS', quantity: 1 }],
    extraNotices: undefined,
    ...shown,
  });
});

it.each<[string, object, readonly unknown[], unknown]>([
  [
    'leaves out an extra that is offered',
    {},
    [
      { code: 'GPS', n: 1 },
      { code: 'CSI', n: 0 },
    ],
    [{ code: 'GPS', quantity: 1 }],
  ],
  ['leaves out all of them', {}, [{ code: 'GPS', n: '0' }], []],
  ['leaves out one without a code', {}, [{ n: 0 }, { code: 'GPS', n: 1 }], [{ code: 'GPS', quantity: 1 }]],
  ['has no list if the code of a booked one is absent', {}, [{ n: 1 }, { code: 'GPS', n: 1 }], undefined],
  [
    'has no list if a number can’t be read',
    {},
    [
      { code: 'GPS', n: 1 },
      { code: 'CSI', n: 'x' },
    ],
    undefined,
  ],
  ['has no list if a number is absent', {}, [{ code: 'GPS' }], undefined],
  ['has extras without a number if none is mapped', { quantity: undefined }, [{ code: 'GPS' }], [{ code: 'GPS' }]],
])('%s', async (_what, mapped, extras, expected) => {
  const { booking: shipped, ...manifest } = shippedSettings('dune').options as Record<string, object>;
  const { quantity, ...listed } = { rows: 'extras', code: 'code', quantity: 'n' as string | undefined, ...mapped };
  const { retrieve } = adapterOf({
    ...manifest,
    auth: { kind: 'none' },
    booking: { ...shipped, extras: { ...listed, ...(quantity && { quantity }) } },
  });
  const found = await retrieve?.(numberedKey, scripted(booking('confirmed', { extras })));
  expect(found?.items[0]?.extras).toEqual(expected);
});

const HOLD = 'POST /v1/holds';
const CONFIRM = 'POST /v1/holds/H1/confirm';
const RELEASE = 'DELETE /v1/holds/H1';

describe('book', () => {
  it('holds with reference, accepted total and all data of the renter, then confirms; neither call may be repeated', async () => {
    const asked = scripted(
      hold('252.99'),
      booking('confirmed', { sipp: 'ECMR', pickup: { at: '2031-05-06T10:00:00' } }),
    );
    expect(await adapter.book?.(request, asked)).toEqual({
      status: 'confirmed',
      confirmationNumber: 'D17',
      reference: 'ref_0001',
      ref: {},
      total: request.total,
      pickupDate: '2031-05-06T10:00:00',
      sippCode: 'ECMR',
    });
    expect(asked.calls.map(({ method, path, repeatable }) => `${method} ${path} ${repeatable}`)).toEqual([
      `${HOLD} false`,
      `${CONFIRM} false`,
    ]);
    expect(JSON.parse(asked.calls[0]?.body ?? '')).toEqual({
      reference: 'ref_0001',
      rateId: 'rate-one',
      expectedTotal: { amount: '252.99', currency: 'USD' },
      driver: {
        firstName: 'Ada',
        lastName: 'Sample',
        email: 'ada@example.com',
        phone: '+12025550142',
        dateOfBirth: '1990-02-03',
        age: 41,
        country: 'GB',
        licence: { number: 'L-1', country: 'GB' },
        address: { lines: ['1 Mill Lane'], city: 'Quarry', country: 'GB' },
        loyalty: [{ number: 'W12' }],
      },
      additionalDrivers: [{ firstName: 'Bo', lastName: 'Sample' }],
      flight: { carrier: 'QX', number: '123', arrivesAt: '2031-05-06T09:00:00' },
      remark: 'blue if possible',
      latePickup: true,
      notifyDriver: false,
      extras: [{ code: 'GPS', quantity: 1 }],
      protections: ['PAI'],
    });
  });

  it('is on request if the confirmation is only a request', async () => {
    const booked = await adapter.book?.(request, scripted(hold('252.99'), booking('requested')));
    expect(booked).toMatchObject({ status: 'on_request', confirmationNumber: 'D17' });
  });

  it('accepts a hold that costs less than the accepted price', async () => {
    expect(await played('book', key, hold('200.00'), booking('confirmed'))).toBe(`done: ${HOLD}, ${CONFIRM}`);
  });

  it.each([
    ['more expensive', hold('253.00')],
    ['in another currency', hold('100.00', 'EUR')],
  ])('releases a hold that is %s and fails with price_changed', async (_case, dear) => {
    expect(await played('book', key, dear, released)).toBe(`rejected price_changed: ${HOLD}, ${RELEASE}`);
    expect(await played('book', key, dear, lost)).toBe(`rejected price_changed: ${HOLD}, ${RELEASE}`);
  });

  it.each([
    [problem(409, 'SOLD_OUT'), 'rejected sold_out'],
    [problem(409, 'PRICE_CHANGED'), 'rejected price_changed'],
    [problem(410, 'RATE_EXPIRED'), 'rejected rate_expired'],
    [problem(422, 'EXTRA_NOT_AVAILABLE'), 'rejected extra_not_available'],
    [problem(429, 'TOO_MANY_REQUESTS'), 'throttled'],
    [problem(401, 'UNAUTHORIZED'), 'auth'],
    [{ status: 500 }, 'unavailable'],
    [{ status: 201, body: {} }, 'bad_payload'],
    [{ status: 201, body: { holdId: 'H1', status: 'held', total: { amount: 'x', currency: 'USD' } } }, 'bad_payload'],
    [{ status: 404, body: '<html>' }, 'bad_payload'],
    [lost, 'unavailable'],
  ] as const)('ends at a hold answered %j as %s', async (reply, expected) => {
    expect(await played('book', key, reply)).toBe(`${expected}: ${HOLD}`);
  });

  it.each(['confirmed', 'requested'])(
    'is in doubt, and releases nothing, if a refusal has a %s booking',
    async (word) => {
      for (const code of ['PRICE_CHANGED', 'SOLD_OUT', 'NOT_FOUND'])
        for (const status of [400, 409]) {
          const refused = { status, body: { code, booking: row(word, { reference: undefined }) } };
          expect(await played('book', key, hold('252.99'), refused)).toBe(`bad_payload: ${HOLD}, ${CONFIRM}`);
        }
      const declined = { status: 409, body: { code: 'SOLD_OUT', booking: row('declined') } };
      expect(await played('book', key, hold('252.99'), declined, released)).toMatch(/^rejected/);
    },
  );

  it('has an unknown outcome after a lost hold', async () => {
    await expect(adapter.book?.(request, scripted(lost))).rejects.toMatchObject({ sent: true });
  });

  it.each([
    [problem(410, 'HOLD_EXPIRED'), 'rejected rate_expired'],
    [problem(409, 'SOLD_OUT'), 'rejected sold_out'],
    [problem(429, 'TOO_MANY_REQUESTS'), 'throttled'],
    [problem(401, 'UNAUTHORIZED'), 'auth'],
    [booking('declined'), 'rejected'],
    [booking('declined', { number: undefined }), 'rejected'],
    [new SupplierError('unavailable', 'no connection', false), 'unavailable'],
  ])('gives the hold back after a clear no to the confirmation: %j', async (reply, expected) => {
    expect(await played('book', key, hold('252.99'), reply, released)).toBe(
      `${expected}: ${HOLD}, ${CONFIRM}, ${RELEASE}`,
    );
    expect(await played('book', key, hold('252.99'), reply, lost)).toBe(`${expected}: ${HOLD}, ${CONFIRM}, ${RELEASE}`);
  });

  it.each([
    [lost, 'unavailable'],
    [new SupplierError('timeout', 'no answer in time'), 'timeout'],
    [{ status: 500 }, 'unavailable'],
    [{ status: 503, body: '<html>' }, 'unavailable'],
    [{ status: 200, body: {} }, 'bad_payload'],
    [{ status: 200, body: '{"booking":{"numb' }, 'bad_payload'],
    [{ status: 204 }, 'bad_payload'],
    [{ status: 200, body: { booking: { status: 'confirmed', reference: 'ref_0001' } } }, 'bad_payload'],
    [booking('held'), 'bad_payload'],
    [booking('cancelled'), 'bad_payload'],
    [booking('on_the_moon'), 'bad_payload'],
    [booking('declined', { reference: 'ref_0002' }), 'bad_payload'],
    [problem(409, 'HOLD_CONFIRMED'), 'bad_payload'],
    [problem(409, 'NEVER_HEARD_OF'), 'bad_payload'],
    [{ status: 404, body: '<html>' }, 'bad_payload'],
  ])('never gives the hold back after a doubtful confirmation: %j', async (reply, expected) => {
    expect(await played('book', key, hold('252.99'), reply)).toBe(`${expected}: ${HOLD}, ${CONFIRM}`);
  });
});

describe('retrieve', () => {
  const BY_NUMBER = 'GET /v1/bookings/D17';
  const BY_REFERENCE = 'GET /v1/bookings?reference=ref_0001';

  it.each([
    ['confirmed', 'confirmed'],
    ['requested', 'on_request'],
    ['declined', 'rejected'],
    ['cancelled', 'cancelled'],
  ])('by number maps %s to %s', async (wire, status) => {
    const found = await adapter.retrieve?.(numberedKey, scripted(booking(wire)));
    expect(found?.items).toEqual([
      { status, confirmationNumber: 'D17', reference: 'ref_0001', ref: {}, total: request.total },
    ]);
  });

  it('by number ignores capitals', async () => {
    expect(await played('retrieve', numberedKey, booking('confirmed', { number: 'd17' }))).toBe(`done: ${BY_NUMBER}`);
  });

  it('by number returns the number of the booking that replaced it, if that has our reference', async () => {
    const found = await adapter.retrieve?.(numberedKey, scripted(booking('confirmed', { number: 'D99' })));
    expect(found?.items).toMatchObject([{ status: 'confirmed', confirmationNumber: 'D99', reference: 'ref_0001' }]);
  });

  it('by number returns a declined or cancelled booking that has our reference but no number any more', async () => {
    for (const [wire, status] of [
      ['declined', 'rejected'],
      ['cancelled', 'cancelled'],
    ] as const) {
      const found = await adapter.retrieve?.(numberedKey, scripted(booking(wire, { number: undefined })));
      expect(found?.items).toMatchObject([{ status, confirmationNumber: 'D17' }]);
    }
  });

  it('of a request needs no number if it has our reference', async () => {
    const unnumbered = { number: undefined };
    const found = await adapter.retrieve?.(key, scripted(list(row('requested', unnumbered))));
    expect(found?.items).toMatchObject([
      { status: 'on_request', confirmationNumber: undefined, reference: 'ref_0001' },
    ]);
    const booked = await adapter.book?.(request, scripted(hold('252.99'), booking('requested', unnumbered)));
    expect(booked).toMatchObject({ status: 'on_request', confirmationNumber: undefined, reference: 'ref_0001' });
    const foreign = booking('requested', { ...unnumbered, reference: undefined });
    expect(await outcomeOf(adapter.book?.(request, scripted(hold('252.99'), foreign)))).toBe('bad_payload');
  });

  it('by reference returns every booking and hold, holds without a confirmation number', async () => {
    const second = { ...row('requested'), number: 'D18', extras: [{ code: 'GPS', quantity: 1 }] };
    const found = await adapter.retrieve?.(key, scripted(list(row('held'), row('confirmed'), second)));
    expect(
      found?.items.map(({ status, confirmationNumber, ref, extras }) => ({ status, confirmationNumber, ref, extras })),
    ).toEqual([
      { status: 'held', ref: { holdId: 'H1' } },
      { status: 'confirmed', confirmationNumber: 'D17', ref: {} },
      { status: 'on_request', confirmationNumber: 'D18', ref: {}, extras: [{ code: 'GPS', quantity: 1 }] },
    ]);
  });

  it('is empty only if the supplier says that there is none', async () => {
    expect(await adapter.retrieve?.(numberedKey, scripted(problem(404, 'NOT_FOUND')))).toEqual({
      items: [],
      warnings: [],
    });
    expect(await adapter.retrieve?.(key, scripted(list()))).toEqual({ items: [], warnings: [] });
  });

  it.each([
    [{ status: 404, body: '<html>' }, 'bad_payload'],
    [problem(404, 'NO_SUCH_RESOURCE'), 'bad_payload'],
    [{ status: 500 }, 'unavailable'],
    [problem(429, 'TOO_MANY_REQUESTS'), 'throttled'],
    [booking('confirmed', { number: 'D99', reference: undefined }), 'bad_payload'],
    [booking('confirmed', { number: 'D99', reference: 'ref_0002' }), 'bad_payload'],
    [booking('cancelled', { number: 'D99' }), 'bad_payload'],
    [booking('cancelled', { number: undefined, reference: undefined }), 'bad_payload'],
    [booking('held', { number: undefined, holdId: 'H1' }), 'bad_payload'],
    [booking('confirmed', { number: undefined }), 'bad_payload'],
    [{ status: 200, body: {} }, 'bad_payload'],
  ])('by number is a fault for %j', async (reply, expected) => {
    expect(await played('retrieve', numberedKey, reply)).toBe(`${expected}: ${BY_NUMBER}`);
  });

  it('has our reference in whatever case, here and in the answer to a booking', async () => {
    const shouted = { reference: 'REF_0001' };
    const found = await adapter.retrieve?.(key, scripted(list(row('confirmed', shouted))));
    expect(found?.items).toMatchObject([{ status: 'confirmed', reference: 'ref_0001' }]);
    const booked = await adapter.book?.(request, scripted(hold('252.99'), booking('confirmed', shouted)));
    expect(booked).toMatchObject({ status: 'confirmed', reference: 'ref_0001' });
  });

  it.each([
    [problem(404, 'NOT_FOUND'), 'bad_payload'],
    [list(row('confirmed', { reference: 'ref_0002' })), 'bad_payload'],
    [list(row('confirmed', { reference: undefined })), 'bad_payload'],
    [list(row('confirmed'), {}), 'bad_payload'],
    [list({ ...row('confirmed'), number: undefined }), 'bad_payload'],
    [{ status: 200, body: {} }, 'bad_payload'],
  ])('by reference is a fault for %j', async (reply, expected) => {
    expect(await played('retrieve', key, reply)).toBe(`${expected}: ${BY_REFERENCE}`);
  });
});

describe('cancel', () => {
  const CANCEL = 'POST /v1/bookings/D17/cancel';
  const LIST = 'GET /v1/bookings?reference=ref_0001';
  const cancelled: Reply = {
    status: 200,
    body: {
      status: 'cancelled',
      cancellationNumber: 'X17',
      fee: { amount: '0.00', currency: 'USD' },
      refund: { amount: '9.5', currency: 'USD' },
    },
  };

  it('by number returns fee, refund and cancellation number', async () => {
    expect(await adapter.cancel?.(numberedKey, scripted(cancelled))).toEqual({
      fee: { amountMinor: 0, currency: 'USD' },
      refund: { amountMinor: 950, currency: 'USD' },
      cancellationNumber: 'X17',
    });
  });

  it('is done whatever it cost: a negative amount is left out with a warning', async () => {
    const [fee, refund] = [
      { amount: '-30.53', currency: 'USD' },
      { amount: '-9.50', currency: 'USD' },
    ];
    const body = { status: 'cancelled', cancellationNumber: 'X17', fee, refund };
    const result = await adapter.cancel?.(numberedKey, scripted({ status: 200, body }));
    expect([result?.fee, result?.refund, result?.cancellationNumber]).toEqual([undefined, undefined, 'X17']);
    expect(result?.warnings?.map(({ kind }) => kind)).toEqual(['amount_rejected', 'amount_rejected']);
  });

  it.each([
    [problem(409, 'ALREADY_CANCELLED'), 'done'],
    [problem(404, 'NOT_FOUND'), 'rejected not_found'],
    [problem(401, 'UNAUTHORIZED'), 'auth'],
    [{ status: 200, body: {} }, 'bad_payload'],
    [{ status: 200, body: { status: 'confirmed' } }, 'bad_payload'],
    [{ status: 200, body: { status: 'cancelled', number: 'D18' } }, 'bad_payload'],
    [{ status: 200, body: { status: 'cancelled', number: 'd17' } }, 'done'],
    [problem(409, 'NEVER_HEARD_OF'), 'bad_payload'],
    [{ status: 502 }, 'unavailable'],
    [lost, 'unavailable'],
  ])('by number takes %j as %s', async (reply, expected) => {
    expect(await played('cancel', numberedKey, reply)).toBe(`${expected}: ${CANCEL}`);
  });

  it('without a number releases every hold of the reference', async () => {
    const found = list(row('held'), { ...row('held'), holdId: 'H2' }, row('cancelled'));
    expect(await played('cancel', key, found, released)).toBe(`done: ${LIST}, ${RELEASE}, DELETE /v1/holds/H2`);
    expect(await played('cancel', key, list(row('held')), problem(404, 'NOT_FOUND'))).toBe(`done: ${LIST}, ${RELEASE}`);
  });

  it('without a number never cancels a booking', async () => {
    expect(await played('cancel', key, list(row('held'), row('confirmed')))).toBe(`rejected not_changeable: ${LIST}`);
    expect(await played('cancel', key, list(row('requested')))).toBe(`rejected not_changeable: ${LIST}`);
    expect(await played('cancel', key, list(row('held')), problem(409, 'HOLD_CONFIRMED'))).toBe(
      `rejected not_changeable: ${LIST}, ${RELEASE}`,
    );
  });

  it('without a number returns nothing or an earlier cancellation', async () => {
    expect(await played('cancel', key, list())).toBe(`rejected not_found: ${LIST}`);
    expect(await played('cancel', key, list(row('cancelled')))).toBe(`done: ${LIST}`);
  });

  it('without a number is in doubt if a release is', async () => {
    expect(await played('cancel', key, list(row('held')), { status: 503 })).toBe(`unavailable: ${LIST}, ${RELEASE}`);
  });
});

it('no URL of any operation contains personal data of the renter', async () => {
  const asked = scripted(hold('252.99'), booking('confirmed'), booking('confirmed'), list(), cancelledReply());
  await adapter.book?.(request, asked);
  await adapter.retrieve?.(numberedKey, asked);
  await adapter.retrieve?.(key, asked);
  await adapter.cancel?.(numberedKey, asked);
  expect(asked.calls).toHaveLength(5);
  for (const { path, headers } of asked.calls) {
    for (const personal of ['Ada', 'Sample', 'ada@example.com', '2025550142', '1990', 'L-1', 'W12', 'Mill']) {
      expect(path + JSON.stringify(headers)).not.toContain(personal);
    }
  }
});

function cancelledReply(): Reply {
  return { status: 200, body: { status: 'cancelled' } };
}

it('sends no change of the arrival that would leave a late pickup untold', async () => {
  const modify = async (changes: ModifyRequest['changes'], pickupLater: boolean, member: object = {}) => {
    const call = { method: 'PATCH', path: '/v1/bookings/{confirmationNumber}', json: { note: 'remark', ...member } };
    const step = { changes: ['arrival', 'remark'], request: call, booking: 'booking' };
    const context = scripted({ status: 500 });
    const asked = { ...request, pickupLater, confirmationNumber: '77', changes };
    await outcomeOf(
      adapterOf({ ...shippedSettings('dune').options, auth: { kind: 'none' }, modify: step }).modify?.(asked, context),
    );
    return context.calls.length;
  };
  expect(await modify(['arrival'], true)).toBe(0);
  expect(await modify(['arrival'], false)).toBe(1);
  expect(await modify(['remark'], true)).toBe(1);
  expect(await modify(['arrival'], true, { late: 'pickupLater' })).toBe(1);
});
