import { describe, expect, it } from '@jest/globals';
import type { BookingKey, BookRequest, ModifyRequest } from '../../model/bookings.js';
import { sampleBooking } from '../../model/fixtures/sample-booking.js';
import { createRestAdapter } from './adapter.js';
import { outcomeOf, scripted } from './fixtures/replies.js';
import { shippedAdapter, shippedSettings } from './fixtures/shipped.js';

const ember = shippedAdapter('ember');
const dune = shippedAdapter('dune');
const [DAY_1, DAY_4, DAY_9] = ['2031-05-01T10:00:00', '2031-05-04T10:00:00', '2031-05-09T10:00:00'] as const;
/** The same moments as ember writes them, for a depot in UTC. */
const seconds = (local: string) => Date.parse(`${local}Z`) / 1_000;

const request: BookRequest = {
  ...sampleBooking,
  brand: 'Ember',
  ref: { grp: 4711, pay: 1, from: 11, to: 12 },
  pickup: { countryCode: 'US' },
  dropoff: { countryCode: 'US' },
  pickupDate: DAY_1,
  dropoffDate: DAY_9,
  countryCode: 'GB',
  age: 41,
  extras: [{ code: '8', quantity: 2 }],
  coverages: [],
  total: { amountMinor: 25_500, currency: 'USD' },
};
const key: BookingKey = { ...request, ...request.driver, confirmationNumber: '77' };
/** A longer rental, with extras. */
const change: ModifyRequest = {
  ...request,
  confirmationNumber: '77',
  changes: ['rental', 'extras'],
  before: { pickupDate: DAY_1, dropoffDate: DAY_4, extras: [] },
};
const row = (dropoff: string, more: object = {}) => ({
  ...{ st: 1, no: 77, agent_ref: 'ref_0001', from_ts: seconds(DAY_1), from_tz: 'UTC' },
  ...{ to_ts: seconds(dropoff), to_tz: 'UTC', addons: [], ...more },
});

const REFUSALS = [
  [200, { ok: 0, err: 1001 }, 'rejected'],
  [200, { ok: 0, err: 3001 }, 'rejected sold_out'],
  [401, {}, 'auth'],
  [403, {}, 'auth'],
  [429, {}, 'throttled'],
] as const;

describe.each(REFUSALS)('a refusal with HTTP %i and %j', (status, body, clear) => {
  const answer = (more: object) => scripted({ status, body: { ...body, ...more } });

  it('of a booking is in doubt if the answer has an active one', async () => {
    const book = (booking?: object) => outcomeOf(ember.book?.(request, answer({ booking })));
    expect([await book(row(DAY_9)), await book(row(DAY_9, { st: 2 }))]).toEqual(['bad_payload', 'bad_payload']);
    expect([await book(), await book({}), await book(row(DAY_9, { st: 3 }))]).toEqual([clear, clear, clear]);
  });

  it('of a change is in doubt only if the answer has the changed booking, or another one', async () => {
    const modify = (booking?: object) => outcomeOf(ember.modify?.(change, answer({ booking })));
    expect(await modify(row(DAY_9))).toBe('bad_payload');
    expect(await modify(row(DAY_4, { addons: [{ id: '8', n: 2 }] }))).toBe('bad_payload');
    expect(await modify(row(DAY_4, { no: 78 }))).toBe('bad_payload');
    expect(await modify(row(DAY_4))).toBe(clear);
    expect([await modify(), await modify({})]).toEqual([clear, clear]);
  });

  it('of a cancellation is in doubt only if the answer says that it was cancelled', async () => {
    const cancel = (more: object) => outcomeOf(ember.cancel?.(key, answer(more)));
    expect(await cancel({ st: 4 })).toBe('bad_payload');
    expect(await cancel({ st: 4, no: 77 })).toBe('bad_payload');
    expect([await cancel({}), await cancel({ st: 1, no: 77 })]).toEqual([clear, clear]);
  });
});

it('a cancellation refused by a code is in doubt if its status is cancelled', async () => {
  const cancel = (status: number, body: object) => outcomeOf(dune.cancel?.(key, scripted({ status, body })));
  expect(await cancel(409, { code: 'INVALID_REQUEST', status: 'cancelled', number: '77' })).toBe('bad_payload');
  expect(await cancel(409, { code: 'INVALID_REQUEST', status: 'confirmed', number: '77' })).toBe('rejected');
});

it('an expectation that every answer meets does not contradict a refusal', async () => {
  const { options, ...settings } = shippedSettings('dune');
  const cancel = { ...(options.cancel as object), expects: '`true`' };
  const adapter = createRestAdapter({ ...settings, options: { ...options, cancel } });
  const refused = scripted({ status: 409, body: { code: 'INVALID_REQUEST' } });
  expect(await outcomeOf(adapter.cancel?.(key, refused))).toBe('rejected');
});

it('a status of the answer itself, or an expectation that an active booking meets, does not contradict a refusal', async () => {
  const { options, ...settings } = shippedSettings('ember');
  const { book: step, booking } = options as { book: object; booking: object };
  const enveloped = createRestAdapter({
    ...settings,
    options: { ...options, book: { ...step, booking: '@' }, booking: { ...booking, status: "'1'" } },
  });
  const refused = scripted({ status: 200, body: { status: 'OK', ok: 0, err: 3001 } });
  expect(await outcomeOf(enveloped.book?.(request, refused))).toBe('rejected sold_out');
  const shipped = shippedSettings('dune');
  const cancel = { ...(shipped.options.cancel as object), expects: 'number' };
  const adapter = createRestAdapter({ ...shipped, options: { ...shipped.options, cancel } });
  const answer = (status: string) => scripted({ status: 409, body: { code: 'INVALID_REQUEST', status, number: '77' } });
  expect(await outcomeOf(adapter.cancel?.(key, answer('confirmed')))).toBe('rejected');
  expect(await outcomeOf(adapter.cancel?.(key, answer('cancelled')))).toBe('bad_payload');
});

it('a refusal without a body that can be read is as clear as its status', async () => {
  for (const body of ['', '<html>', '{"booking":{"st":1']) {
    const context = scripted({ status: 429, body });
    expect(await outcomeOf(ember.book?.(request, context))).toBe('throttled');
    expect(await outcomeOf(ember.modify?.(change, context))).toBe('throttled');
    expect(await outcomeOf(ember.cancel?.(key, context))).toBe('throttled');
  }
});

describe('a retrieval', () => {
  const { confirmationNumber: _number, ...unnumbered } = key;
  const none = { ok: 0, err: 4004 };
  const retrieve = (asked: BookingKey, body: object) =>
    outcomeOf(ember.retrieve?.(asked, scripted({ status: 200, body })));
  const found = async (asked: BookingKey, body: object) =>
    (await ember.retrieve?.(asked, scripted({ status: 200, body })))?.items.length;

  it('is unclear if the answer has the booking, although it says that there is none', async () => {
    for (const st of [1, 2]) {
      expect(await retrieve(key, { ...none, booking: row(DAY_9, { st }) })).toBe('bad_payload');
      expect(await retrieve(key, { ...none, result: { rows: [row(DAY_9, { st, agent_ref: undefined })] } })).toBe(
        'bad_payload',
      );
      expect(await retrieve(unnumbered, { ...none, bookings: [row(DAY_9, { st })] })).toBe('bad_payload');
    }
  });

  it('is unclear if the list is empty, and the booking elsewhere in the answer', async () => {
    expect(await retrieve(unnumbered, { ok: 1, bookings: [], archived: [row(DAY_9)] })).toBe('bad_payload');
    expect(await retrieve(unnumbered, { ok: 1, bookings: [], page: { first: row(DAY_9) } })).toBe('bad_payload');
    const nested = `{"ok":1,"bookings":[],"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect(await outcomeOf(ember.retrieve?.(unnumbered, scripted({ status: 200, body: nested })))).toBe('done');
  });

  it('finds nothing if the answer only repeats what was asked for, or has other bookings', async () => {
    for (const more of [
      { no: 77, agent_ref: 'ref_0001', text: 'no booking 77 (ref_0001)' },
      { st: 0, no: 77, agent_ref: 'ref_0001' },
      { query: { no: '77', agent_ref: 'ref_0001' }, errors: [{ field: 'no', value: '77' }] },
      { booking: {} },
      { others: [row(DAY_9, { no: 78, agent_ref: 'ref_0002' })] },
    ]) {
      expect(await found(key, { ...none, ...more })).toBe(0);
      expect(await found(unnumbered, { ...none, ...more })).toBe(0);
      expect(await found(unnumbered, { ok: 1, bookings: [], ...more })).toBe(0);
    }
    expect(await found(unnumbered, { ok: 1, bookings: [], st: 1, agent_ref: 'ref_0001' })).toBe(0);
  });
});
