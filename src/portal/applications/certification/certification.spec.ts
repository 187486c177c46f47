import { expect, test } from '@jest/globals';
import { judge, total } from './certification.js';
import { type Booked, type Evidence, MINUTE_MS, type Seen } from './evidence.js';

const NOW = Date.UTC(2027, 0, 5);
const seen = (more: Partial<Seen>): Seen => ({
  ...{ id: 'req_1', at: NOW - 60 * MINUTE_MS, endedAt: NOW - 60 * MINUTE_MS + 10, operation: 'searchVehicles' },
  ...{ status: 200, isPartial: false, cause: null, field: null, token: null, same: null, key: null, subject: null },
  ...{ isPaged: false, wait: null, retry: null, ...more },
});
const booked = (more: Partial<Booked>): Booked => ({
  ...{ id: 'res_1', subject: 'r', createdAt: NOW - 90 * MINUTE_MS, clearAt: null, toldAt: null },
  ...{ isCancelled: false, isActive: false, ...more },
});
const verdict = (id: string, evidence: Partial<Evidence>, isComplete = true) => {
  const judged = judge({ requests: [], bookings: [], now: NOW, ...evidence }, isComplete);
  const found = judged.find(({ behavior }) => behavior.id === id);
  return [found?.verdict, found?.shown];
};

test('without requests, nothing was seen', () => {
  const judged = judge({ requests: [], bookings: [], now: NOW }, true);
  expect([judged.length, total({ judged }, 'unseen')]).toEqual([20, 20]);
});

test('what fails by absence is not judged while requests are missing; what was seen to be wrong is', () => {
  const bookings = [booked({ isActive: true })];
  expect(verdict('bookings_cancelled', { bookings })).toEqual(['failed', ['res_1']]);
  expect(verdict('bookings_cancelled', { bookings }, false)).toEqual(['unseen', []]);
  const requests = [seen({ operation: 'createReservation', status: 201 })];
  expect(verdict('key_sent', { requests }, false)).toEqual(['failed', ['req_1']]);
});

test.each([
  ['an event that an endpoint accepted', { toldAt: NOW }, 'passed'],
  ['nothing, five minutes after the outcome', { clearAt: NOW - 6 * MINUTE_MS }, 'failed'],
  ['nothing, soon after the outcome', { clearAt: NOW - 4 * MINUTE_MS }, 'unseen'],
  ['an outcome that is still open', { clearAt: null }, 'unseen'],
])('a 202 is followed by %s: %p → %s', (_what, more, expected) => {
  const requests = [seen({ operation: 'createReservation', status: 202, subject: 'r' })];
  const bookings = [booked({ clearAt: NOW - 6 * MINUTE_MS, ...more })];
  expect(verdict('outcome_followed', { requests, bookings })[0]).toBe(expected);
});

test('parallel calls that arrive after the first 429 were already sent; the repetition of a single call was not', () => {
  const at = NOW - MINUTE_MS;
  const refused = (id: string, from: number, to: number) =>
    seen({ ...{ id, at: at + from, endedAt: at + to, status: 429, wait: 1, same: 's' } });
  const single = [refused('one', 0, 10), refused('two', 200, 210)];
  expect(verdict('waits_after_429', { requests: single })).toEqual(['failed', ['one', 'two']]);
  const burst = [refused('one', 0, 50), refused('two', 20, 60), refused('three', 200, 210)];
  expect(verdict('waits_after_429', { requests: burst })[0]).toBe('unseen');
  const patient = [...burst, seen({ id: 'four', at: at + 1_060, endedAt: at + 1_070, same: 's' })];
  expect(verdict('waits_after_429', { requests: patient })).toEqual(['passed', ['one']]);
});
