import { describe, expect, it } from '@jest/globals';
import type { ModifyRequest } from '../../model/bookings.js';
import { SupplierError } from '../../model/supplier.js';
import { adapter, answering, booking, change, key, recorded, refused } from './fixtures/setting.js';

const { status, reservation } = JSON.parse(recorded('reservation.201.json').body);
/** A change of the dates. */
const whole: ModifyRequest = {
  ...change,
  changes: ['rental'],
  before: { pickupDate: '2031-04-20T10:00:00', dropoffDate: '2031-04-22T10:00:00', extras: change.extras },
};
const asBefore = { pickup_date: whole.before?.pickupDate, dropoff_date: whole.before?.dropoffDate };

/** A reservation with members of its confirmation and vehicle category replaced. */
const reserved = (confirmation: object = {}, category: object = {}) => ({
  ...reservation,
  confirmation: { ...reservation.confirmation, ...confirmation },
  vehicle: { category: { ...reservation.vehicle.category, ...category } },
});
const answer = (http: number, body: object) => answering({ status: http, body: JSON.stringify(body) });
/** A refusal that has further members. */
const refusal = (http: number, more: object) => {
  const { status: errors } = JSON.parse(refused(http, '14105').body);
  return answer(http, { status: errors, ...more });
};
/** A refusal that also states success. */
const stated = () => {
  const { status: errors } = JSON.parse(refused(400, '14105').body);
  return answer(400, { status: { ...errors, success: status.success } });
};

/** `done`, or the fault of an operation, with its refusal. */
async function outcome(work: Promise<unknown> | undefined): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (!(error instanceof SupplierError)) throw error;
    return error.refusal === undefined ? error.fault : `${error.fault} ${error.refusal}`;
  }
}

const REFUSALS = [
  [400, 'rejected invalid_rate'],
  [404, 'rejected invalid_rate'],
  [401, 'auth'],
  [403, 'auth'],
  [429, 'throttled'],
] as const;

describe.each(REFUSALS)('a refusal with HTTP %i', (http, clear) => {
  it('of a booking is in doubt if the answer has a reservation', async () => {
    const book = (more: object) => outcome(adapter.book?.(booking, refusal(http, more)));
    expect(await book({ reservation: reserved() })).toBe('bad_payload');
    expect(await book({ reservation: reserved({}, { vehicle_onrequest_status: 'Pending' }) })).toBe('bad_payload');
    expect(await book({ reservation: reserved({}, { vehicle_onrequest_status: 'Declined' }) })).toBe('bad_payload');
    expect(await book({})).toBe(clear);
    expect(await book({ reservation: {} })).toBe(clear);
    expect(await book({ reservation: reserved({}, { vehicle_onrequest_status: 'Denied' }) })).toBe(clear);
  });

  it('of a change is in doubt only if the answer has the changed reservation, or another one', async () => {
    const modify = (more: object, asked = whole) => outcome(adapter.modify?.(asked, refusal(http, more)));
    expect(await modify({ reservation: reserved() })).toBe('bad_payload');
    expect(await modify({ reservation: reserved({ ...asBefore, dropoff_date: '2031-05-04T11:00:00' }) })).toBe(
      'bad_payload',
    );
    expect(await modify({ reservation: reserved({ ...asBefore, number: '70613990US3' }) })).toBe('bad_payload');
    expect(await modify({})).toBe(clear);
    expect(await modify({ reservation: reserved(asBefore) })).toBe(clear);
    const sameDates = { ...whole, before: { ...whole, extras: [] } };
    expect(await modify({ reservation: reserved() }, sameDates)).toBe('bad_payload');
    expect(await modify({ reservation: { ...reserved(), extras: [] } }, sameDates)).toBe(clear);
    expect(await modify({ reservation: reserved() }, change)).toBe(clear);
  });

  it('of a cancellation is clear, with or without the reservation', async () => {
    const cancel = (more: object) => outcome(adapter.cancel?.(key, refusal(http, more)));
    expect([await cancel({}), await cancel({ reservation: reserved() })]).toEqual([clear, clear]);
  });
});

it('a refusal that also states success is in doubt', async () => {
  for (const work of [
    () => adapter.book?.(booking, stated()),
    () => adapter.modify?.(change, stated()),
    () => adapter.modify?.(whole, stated()),
    () => adapter.cancel?.(key, stated()),
  ])
    expect(await outcome(work())).toBe('bad_payload');
});

it('a change answered with another number is in doubt', async () => {
  const changed = (number: string) =>
    outcome(adapter.modify?.(whole, answer(200, { status, reservation: reserved({ number }) })));
  expect([await changed('09449519gb3'), await changed('70613990US3')]).toEqual(['done', 'bad_payload']);
});

it('a refusal without a body that can be read is as clear as its status', async () => {
  for (const body of ['', '<html>', '{"reservation":{"confirmation":{"number":"09449519GB3"']) {
    expect(await outcome(adapter.book?.(booking, answering({ status: 429, body })))).toBe('throttled');
    expect(await outcome(adapter.cancel?.(key, answering({ status: 403, body })))).toBe('auth');
    expect(await outcome(adapter.modify?.(whole, answering({ status: 400, body })))).toBe('bad_payload');
  }
});

describe.each(['150004', '14184', '14036'])('a retrieval answered with code %s', (code) => {
  const { status: errors } = JSON.parse(refused(400, code).body);
  const retrieve = (http: number, more: object) =>
    outcome(adapter.retrieve?.(key, answer(http, { status: errors, ...more })));

  it('is unclear if the answer has a reservation, readable or not', async () => {
    for (const http of [200, 400, 404])
      for (const one of [reserved(), { confirmation: { number: '09449519GB3' } }, { number: '09449519GB3' }])
        expect(await retrieve(http, { reservation: one })).toBe('bad_payload');
  });

  it('is clear if it has none, or one without content', async () => {
    for (const more of [
      {},
      { reservation: {} },
      { reservation: { confirmation: {}, vehicle: null, remark: '' } },
      { confirmation_number: '09449519GB3', message: 'no reservation 09449519GB3 (res_0123456789)' },
    ])
      expect(await retrieve(400, more)).toBe('done');
  });
});

describe('a confirmation number that is a JSON number', () => {
  const numbered = (http: number, digits: string, more: object = {}) =>
    answering({
      status: http,
      body: JSON.stringify({ reservation: reserved({ number: 'N' }), ...more }).replace('"N"', digits),
    });
  const LARGE = '90071992547409931';

  it('is kept if JSON keeps its digits', async () => {
    for (const digits of ['12345678', '9007199254740991'])
      expect(await adapter.book?.(booking, numbered(201, digits))).toMatchObject({ confirmationNumber: digits });
  });

  it('leaves the outcome in doubt if JSON rounds it, even beside a refusal', async () => {
    expect(await outcome(adapter.book?.(booking, numbered(201, LARGE)))).toBe('bad_payload');
    const { status: errors } = JSON.parse(refused(400, '14105').body);
    expect(await outcome(adapter.book?.(booking, numbered(400, LARGE, { status: errors })))).toBe('bad_payload');
    const known = { ...key, confirmationNumber: String(Number(LARGE)) };
    expect(await outcome(adapter.retrieve?.(known, numbered(200, LARGE)))).toBe('bad_payload');
    const change = { ...whole, confirmationNumber: known.confirmationNumber };
    expect(await outcome(adapter.modify?.(change, numbered(200, LARGE, { status })))).toBe('bad_payload');
  });
});
