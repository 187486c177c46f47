import { expect, test } from '@jest/globals';
import { claim } from '../../../../test/support/claim.js';
import { threadMs } from '../../../../test/support/thread-time.js';
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

/** As many as a page reads, sent 50 at a time by a client that makes everything wrong. */
const loop = (more: Partial<Seen>, tookMs: number, distinct: (number: number) => Partial<Seen> = () => ({})) =>
  Array.from({ length: 2_000 }, (_, number) => {
    const at = NOW - 60 * MINUTE_MS + Math.floor(number / 50) * 1_000 + (number % 50);
    return seen({ id: `req_${number}`, at, endedAt: at + tookMs, same: 's', token: 't', ...more, ...distinct(number) });
  });

claim('API4', 'A certification costs little processor time, whatever an application sent.', () => {
  const booking = { operation: 'createReservation', key: 'k' };
  const histories: Readonly<Record<string, readonly Seen[]>> = {
    refused: loop({ status: 429, wait: 3_600 }, 900),
    unavailable: loop({ status: 503, wait: 2 }, 100),
    partial: loop({ status: 206, isPartial: true }, 10),
    lost: loop({ ...booking, status: 408 }, 10, (number) => ({ same: `s${number}` })),
    open: loop({ ...booking, status: 202 }, 10, (number) => ({ key: `k${number}`, subject: `r${number}` })),
    revoked: loop({ status: 401 }, 10, (number) => ({ token: `t${number}` })),
  };
  const bookings = Array.from({ length: 500 }, (_, number) =>
    booked({ id: `res_${number}`, subject: `r${number + 1_500}`, clearAt: NOW, isActive: true }),
  );
  const judgeOf = (requests: readonly Seen[]): number => {
    const startedAt = threadMs();
    judge({ requests, bookings, now: NOW }, true);
    return threadMs() - startedAt;
  };
  // The compiler is warm after the first time.
  for (const requests of Object.values(histories)) judgeOf(requests);
  const slow = Object.entries(histories).map(([name, requests]) => [name, judgeOf(requests)] as const);
  expect(slow.filter(([, ms]) => ms > 100)).toEqual([]);
});
