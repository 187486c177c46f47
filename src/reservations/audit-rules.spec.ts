import { describe, expect, it } from '@jest/globals';
import type { SupplierBooking } from '../model/bookings.js';
import { type Found, type Intent, judge, withEntry } from './audit-rules.js';
import { sampleEntry } from './fixtures/sample-entry.js';
import { MADE_AT, reservationIn } from './fixtures/sample-reservation.js';
import type { JournalEntry } from './journal-folder.js';
import type { State } from './states.js';

const LATER = MADE_AT + 3_600_000;
const at = (time: number) => new Date(time).toISOString();
const booking = (status: SupplierBooking['status'], confirmationNumber = 'CN1'): SupplierBooking => ({
  status,
  confirmationNumber,
  ref: {},
});
const found = (...bookings: readonly SupplierBooking[]): Found => ({ bookings });
const unknown: Found = { why: 'no answer' };
const intentOf = (...entries: readonly Partial<JournalEntry>[]): Intent | undefined =>
  entries.map(sampleEntry).reduce<Intent | undefined>(withEntry, undefined);

describe('the verdict on a reservation', () => {
  const cancelled = intentOf({}, { op: 'cancel', at: at(LATER) });
  const changed = intentOf({}, { op: 'change', at: at(LATER) });
  const cases: readonly [string, State | undefined, Intent | undefined, Found, string][] = [
    ['confirmed on both sides', 'confirmed', intentOf({}), found(booking('confirmed')), 'agrees'],
    ['on request there', 'on_request', undefined, found(booking('on_request')), 'agrees'],
    ['unknown here, booked there', undefined, intentOf({}), found(booking('confirmed')), 'missing here'],
    ['unknown here, not booked', undefined, intentOf({}), found(), 'agrees'],
    ['unknown here, cancelled there', undefined, intentOf({}), found(booking('cancelled')), 'agrees'],
    ['failed here, booked there', 'failed', undefined, found(booking('confirmed')), 'missing here'],
    ['failed here, not booked', 'failed', undefined, found(), 'agrees'],
    ['confirmed here, absent there', 'confirmed', undefined, found(), 'missing there'],
    ['confirmed here, only held there', 'confirmed', undefined, found(booking('held')), 'missing there'],
    ['confirmed here, cancelled there', 'confirmed', undefined, found(booking('cancelled')), 'revived'],
    ['confirmed here, cancelled in the journal, absent there', 'confirmed', cancelled, found(), 'revived'],
    ['confirmed here, cancelled in the journal, no answer', 'confirmed', cancelled, unknown, 'revived'],
    ['confirmed here, its cancellation was refused', 'confirmed', cancelled, found(booking('confirmed')), 'agrees'],
    ['a change is missing here', 'confirmed', changed, found(booking('confirmed')), 'changed'],
    ['a change is missing here, no answer', 'confirmed', changed, unknown, 'changed'],
    ['two bookings', 'confirmed', undefined, found(booking('confirmed'), booking('on_request', 'CN2')), 'duplicate'],
    [
      'two bookings, unknown here',
      undefined,
      intentOf({}),
      found(booking('confirmed'), booking('confirmed', 'CN2')),
      'duplicate',
    ],
    ['one booking in two rows', 'confirmed', undefined, found(booking('confirmed'), booking('confirmed')), 'agrees'],
    ['another number for the only one', 'confirmed', undefined, found(booking('confirmed', 'CN1-US')), 'agrees'],
    [
      'another one, while its own is cancelled',
      'confirmed',
      undefined,
      found(booking('cancelled', 'CN1'), booking('confirmed', 'CN2')),
      'revived',
    ],
    ['no answer', 'confirmed', undefined, unknown, 'cannot check'],
    ['unknown here, no answer', undefined, intentOf({}), unknown, 'cannot check'],
    ['still open here', 'unknown', undefined, found(booking('confirmed')), 'agrees'],
  ];
  it.each(cases)('%s', (_title, state, intent, answer, verdict) => {
    const here = state === undefined ? undefined : reservationIn(state, { confirmationNumber: 'CN1' });
    expect(judge(here, intent, answer).verdict).toBe(verdict);
  });

  it('says of a reservation in review what the journal has of later requests, and when', () => {
    const one = found(booking('confirmed'));
    const refused = { op: 'refused', at: at(LATER + 1) } as const;
    const noteOn = (state: State, ...entries: readonly Partial<JournalEntry>[]) => {
      const { verdict, note } = judge(reservationIn(state), intentOf({}, ...entries), one);
      return `${verdict}: ${note}`;
    };
    const when = `at ${at(LATER)}`;
    expect(noteOn('manual_review', { op: 'change', at: at(LATER) })).toContain(
      `changed: a change was requested ${when}`,
    );
    expect(noteOn('manual_review', { op: 'cancel', at: at(LATER) })).toBe(
      `revived: its cancellation was requested ${when}`,
    );
    expect(noteOn('manual_review', { op: 'cancel', at: at(LATER) }, refused)).toContain(
      `refused a request at ${refused.at}`,
    );
    expect(noteOn('manual_review', refused)).toContain(`changed: the supplier refused at ${refused.at}`);
    expect(noteOn('manual_review')).toBe('agrees: still manual_review here');
    expect(noteOn('confirmed', refused)).toBe('agrees: ');
  });

  it('takes no later entry of the history, such as an erasure, for a lost cancellation', () => {
    const here = reservationIn('confirmed');
    const erased = { from: 'confirmed', to: 'confirmed', at: LATER + 1, actor: 'gateway', reason: 'erased' } as const;
    const after = { ...here, history: [...here.history, erased] };
    expect(judge(after, intentOf({}, { op: 'cancel', at: at(LATER) }), found()).verdict).toBe('revived');
  });

  it('does not take a cancellation or change that is in the history for a lost one', () => {
    const refused = reservationIn('cancel_pending');
    const here = { ...refused, state: 'confirmed' as const };
    const intent = intentOf({}, { op: 'cancel', at: at(refused.updatedAt) });
    expect(judge(here, intent, found()).verdict).toBe('missing there');
  });
});

it('a change before the first entry that was read of a very long history is not taken for a lost one', () => {
  const here = reservationIn('confirmed');
  const newest = { ...here, history: here.history.slice(-1) };
  const early = intentOf({}, { op: 'change', at: at(MADE_AT) });
  expect(judge(newest, early, found(booking('confirmed'))).verdict).toBe('agrees');
  expect(judge(here, early, found(booking('confirmed'))).verdict).toBe('changed');
});

describe('changes of which only some were lost', () => {
  it('are reported, although a later one is in the history', () => {
    const here = reservationIn('modify_pending');
    const change = (time: number) => ({ op: 'change', at: at(time) }) as const;
    const judged = (...times: readonly number[]) =>
      judge({ ...here, state: 'confirmed' }, intentOf({}, ...times.map(change)), found(booking('confirmed'))).verdict;
    expect([judged(here.updatedAt), judged(here.updatedAt - 1, here.updatedAt)]).toEqual(['agrees', 'changed']);
  });
});

describe('the journals of several gateways', () => {
  it('say the same in any order, with any duplicates', () => {
    const entries = [
      sampleEntry(),
      sampleEntry({ op: 'number', number: 'CN1', at: at(MADE_AT + 5) }),
      sampleEntry({ op: 'change', number: 'CN1', at: at(LATER), pickup: '2027-03-01T10:00:00' }),
      sampleEntry({ op: 'change', number: 'CN1', at: at(LATER + 1), pickup: '2027-02-20T10:00:00' }),
      sampleEntry({ op: 'cancel', number: 'CN1', at: at(LATER + 2), pickup: '2027-02-20T10:00:00' }),
      sampleEntry({ op: 'cancel', number: 'CN1', at: at(LATER + 1), pickup: '2027-02-20T10:00:00' }),
      sampleEntry({ op: 'refused', number: 'CN1', at: at(LATER + 3), pickup: '2027-02-20T10:00:00' }),
    ];
    const merged = (order: readonly JournalEntry[]) => order.reduce<Intent | undefined>(withEntry, undefined);
    const expected = {
      reference: entries[0]?.ref,
      supplier: 'uno',
      brand: 'Uno',
      applicationId: 'app_a',
      number: 'CN1',
      pickup: { date: '2027-02-20T10:00:00', saidAt: LATER + 3 },
      changedAt: [LATER, LATER + 1],
      cancelledAt: [LATER + 1, LATER + 2],
      refusedAt: [LATER + 3],
    };
    for (let turn = 0; turn < entries.length; turn += 1) {
      const turned = [...entries.slice(turn), ...entries.slice(0, turn)];
      for (const order of [turned, turned.toReversed(), [...turned, ...entries]])
        expect(merged(order)).toEqual(expected);
    }
  });
});
