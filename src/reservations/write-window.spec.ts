import { expect, it } from '@jest/globals';
import { RequestContext } from '../context/request-context.js';
import { callDeadline, commitToCall, sentWindow } from './write-window.js';

const BUDGET_MS = 30_000;

it('a call has the time of its supplier, or what the budget leaves of it beside the database', () => {
  expect(commitToCall(new RequestContext('req_1', Date.now()), 8_000, BUDGET_MS)).toBe(8_000);
  const late = new RequestContext('req_1', Date.now() - 25_000);
  const timeoutMs = commitToCall(late, 8_000, BUDGET_MS);
  expect(timeoutMs).toBeGreaterThan(2_500);
  expect(timeoutMs).toBeLessThanOrEqual(3_500);
  expect(callDeadline(late, BUDGET_MS)).toBe(late.startedAt + 28_500);
});

it('nothing is sent with too little time left, nor for a client who has left; the request is not committed then', () => {
  const late = new RequestContext('req_1', Date.now() - 28_400);
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

it('a reservation is looked after some seconds after its call must have ended', () => {
  expect(sentWindow(1_000, 200)).toEqual({ sentUntil: 1_200, nextCheckAt: 6_200 });
});
