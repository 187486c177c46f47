import { describe, expect, it } from '@jest/globals';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { sampleEntry } from './fixtures/sample-entry.js';
import { MADE_AT, reservationIn } from './fixtures/sample-reservation.js';
import { JournaledBookings, openReservations } from './journaled-bookings.js';

const MOST = 100_000;
const entry = (number: number) =>
  sampleEntry({ ref: `res_${String(number).padStart(20, '0')}`, key: `key-${number}`, quote: `quote-${number}` });
const keyOf = (number: number) => ({ applicationId: 'app_a', key: `key-${number}`, bodyHash: 'hash' });

describe('the bookings that are remembered', () => {
  it(`are at most ${MOST} of this process: the oldest is forgotten`, () => {
    const bookings = new JournaledBookings();
    for (let number = 0; number <= MOST; number += 1) bookings.remember(entry(number));
    expect([bookings.ofKey(keyOf(0)), bookings.ofReference('app_a', entry(0).ref)]).toEqual([undefined, undefined]);
    expect(bookings.ofQuote('quote-0')).toBeUndefined();
    expect([bookings.ofKey(keyOf(MOST)), bookings.ofQuote(`quote-${MOST}`)]).toEqual([entry(MOST), entry(MOST)]);
    expect(bookings.ofReference('app_a', entry(1).ref)).toEqual(entry(1));
    expect(bookings.size).toBe(0);
  });

  it('are more lost ones than an account books in a day, and a limited number', () => {
    const many = new JournaledBookings();
    for (let number = 0; number < 200_000; number += 1) many.add(entry(number));
    expect(many.size).toBe(200_000);
    const few = new JournaledBookings(3);
    for (const number of [0, 1, 2, 0]) few.add(entry(number));
    expect(few.size).toBe(3);
    expect(() => few.add(entry(3))).toThrow('restore a later backup');
  });
});

it('a line that was read at the start is never forgotten', () => {
  const made = reservationIn('modify_pending');
  const bookings = new JournaledBookings();
  bookings.rememberEarlierLine({ ref: made.id, at: new Date(made.updatedAt + 1).toISOString() });
  for (let number = 0; number <= MOST; number += 1) bookings.rememberLine(entry(number));
  expect(bookings.isBehind(made)).toBe(true);
});

describe('a reservation is behind the journal', () => {
  const behind = (made: ReturnType<typeof reservationIn>, ...times: readonly number[]) => {
    const bookings = new JournaledBookings();
    for (const at of times) bookings.rememberLine({ ref: made.id, at: new Date(at).toISOString() });
    return bookings.isBehind(made);
  };

  it('if its latest line, in whatever order they are read, is later than what was begun last and not in its history', () => {
    const made = reservationIn('modify_pending');
    const begun = made.updatedAt;
    expect([behind(made), behind(made, begun), behind(made, MADE_AT, begun)]).toEqual([false, false, false]);
    expect([behind(made, begun + 1), behind(made, begun + 1, begun)]).toEqual([true, true]);
    expect(behind({ ...made, id: 'res_bbbbbbbbbbbbbbbbbbbb' })).toBe(false);
  });

  it('no more, once something was begun after the lost lines', () => {
    const made = reservationIn('cancel_pending');
    expect([behind(made, made.updatedAt - 1), behind(made, made.updatedAt + 1)]).toEqual([false, true]);
  });

  it('not by the line of its number, whose time the history has', () => {
    const made = reservationIn('confirmed');
    expect([behind(made, made.updatedAt), behind(made, made.updatedAt + 1)]).toEqual([false, true]);
  });

  it(`for ${MOST} reservations: beyond that, the one heard of first is forgotten`, () => {
    const bookings = new JournaledBookings();
    const made = reservationIn('modify_pending');
    const at = new Date(made.updatedAt + 1).toISOString();
    bookings.rememberLine({ ref: made.id, at });
    expect(bookings.isBehind(made)).toBe(true);
    for (let number = 0; number < MOST; number += 1) bookings.rememberLine({ ref: entry(number).ref, at });
    expect(bookings.isBehind(made)).toBe(false);
  });
});

describe('the journal is read at a start', () => {
  const database = migratedDatabase('reservation_events', 'reservations', 'applications', 'accounts');
  const open = { booked_differently: { unconfirmed_extras: ['CSI'] } };

  it('since the first call of those for which something may be sent, not of those that are only looked up', async () => {
    const row = (id: string, state: string, days: number, view: object, strays = 'null') =>
      `insert into reservations (id, application_id, account_id, environment, supplier, state, state_reason, state_actor, version,
          rental, view, payment, sent_until, created_at, updated_at, next_check_at, strays)
        values ('${id}', 'app_j', 'acc_j', 'sandbox', 'uno', '${state}', 'booked', 'gateway', 2, '{}', '${JSON.stringify(view)}', '{}',
          '2027-01-${days}', '2027-01-01', '2027-01-${days}', now(), ${strays})`;
    await withoutTriggers(
      database(),
      `insert into accounts (id, environment, name, tier) values ('acc_j', 'sandbox', 'a', 'demo')`,
      `insert into applications (id, account_id, name, client_id, environment, tier) values ('app_j', 'acc_j', 'a', 'j', 'sandbox', 'demo')`,
      row('request', 'on_request', 11, {}),
      row('extra', 'confirmed', 12, open),
      row('second', 'confirmed', 13, open, `'[{"number":"CN2","ref":{},"cancel":true}]'`),
      row('new', 'confirmed', 14, {}),
      row('unclear', 'unknown', 15, open),
    );
    const { ids, sentSince } = await openReservations(database(), 'sandbox');
    expect([[...ids].sort(), new Date(sentSince).getUTCDate()]).toEqual([['new', 'second', 'unclear'], 13]);
  });
});
