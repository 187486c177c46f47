import { expect, it } from '@jest/globals';
import { RequestContext } from '../context/request-context.js';
import { callDeadline, commitToCall, sentWindow, timeLeft } from './write-window.js';

const BUDGET_MS = 30_000;

/** A request that arrived `ms` ago. */
function lateBy(ms: number): RequestContext {
  return Object.assign(new RequestContext('req_1', Date.now()), { clockedAt: performance.now() - ms });
}

it('a call has the timeout of its supplier, or the rest of the request budget minus the time for the database', () => {
  expect(commitToCall(new RequestContext('req_1', Date.now()), 8_000, BUDGET_MS)).toBe(8_000);
  const late = lateBy(25_000);
  const timeoutMs = commitToCall(late, 8_000, BUDGET_MS);
  expect(timeoutMs).toBeGreaterThan(2_500);
  expect(timeoutMs).toBeLessThanOrEqual(3_500);
  expect(callDeadline(late, BUDGET_MS)).toBe(late.clockedAt + 28_500);
});

it('nothing is sent or committed with too little time left or after the client has disconnected', () => {
  const late = lateBy(28_400);
  const gone = new RequestContext('req_1', Date.now());
  gone.cancel('client_disconnected');
  for (const context of [late, gone])
    expect(() => commitToCall(context, 8_000, BUDGET_MS)).toThrow(expect.objectContaining({ status: 408 }));
  let isCalledOff = false;
  late.onCancel(() => {
    isCalledOff = true;
  });
  late.cancel('budget_exhausted');
  expect(isCalledOff).toBe(true);
});

it('a reservation is checked a few seconds after the deadline of its call', () => {
  expect(sentWindow(1_000, 200)).toEqual({ sentUntil: 1_200, nextCheckAt: 6_200 });
});

it('a call whose reservation took long to store has the rest of its time, and with none left it cannot start', () => {
  expect(timeLeft(8_000, performance.now() - 3_000)).toBeLessThanOrEqual(5_000);
  expect(timeLeft(8_000, performance.now() - 3_000)).toBeGreaterThan(4_000);
  expect(timeLeft(8_000, performance.now() - 9_000)).toBe(0);
});
