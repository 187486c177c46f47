import { expect, it } from '@jest/globals';
import type { Intent } from '../proof/evidence.js';
import { bookedAt, type Call, failedCalls, failedOutside, gaps, quietCalls, spread } from './judge.js';

const failover = (killedAt: number) => ({ killedAt, promotedAt: killedAt + 3_000, rebuiltAt: killedAt + 8_000 });
const call = (sentAt: number, answeredAt: number, status: number): Call => ({
  kind: 'token',
  sentAt,
  answeredAt,
  status,
});

it('the gap is the longest time without a booking between two kills, however bookings in progress end', () => {
  const failovers = [failover(10_000), failover(30_000), failover(50_000)];
  // Right after the kill, a booking is answered that was stored before it; later, commits wait while a standby is built.
  const booked = [9_000, 10_005, 14_000, 15_000, 21_000, 29_000, 34_500, 35_000, 49_000];
  expect(gaps(failovers, booked, 60_000)).toEqual([8_000, 14_000, 10_000]);
});

it('only a 201 that is not a repetition counts as a booking', () => {
  const answer = (status: number, at?: number, replayed = false) => ({
    status,
    replayed,
    text: '',
    ...(at === undefined ? {} : { at }),
  });
  const answers = [answer(201, 5), answer(202, 6), answer(503, 7), answer(201, 8, true), answer(201)];
  expect(bookedAt([{ answers } as unknown as Intent, { answers: [answer(201, 2)] } as unknown as Intent])).toEqual([
    2, 5,
  ]);
});

it('a call that fails while a primary answers counts apart', () => {
  const calls = [call(9_000, 9_100, 200), call(9_900, 10_500, 503), call(15_000, 15_100, 0), call(20_000, 20_100, 503)];
  const failed = failedCalls(calls, 'token');
  expect(failed).toHaveLength(3);
  expect(failedCalls(calls, 'search')).toEqual([]);
  expect(failedOutside(failed, [failover(10_000)], 5_000)).toEqual([calls[3]]);
});

it('calls that were answered before the first kill are apart', () => {
  const calls = [call(8_000, 9_000, 408), call(9_500, 10_100, 503), call(12_000, 12_100, 200)];
  expect(quietCalls(calls, [failover(10_000), failover(30_000)])).toEqual([calls[0]]);
  expect(quietCalls(calls, [])).toEqual(calls);
});

it('quantiles are of the nearest rank', () => {
  expect(spread(Array.from({ length: 30 }, (_, index) => index + 1))).toEqual({ p50: 15, p95: 29, max: 30 });
  expect(spread([])).toEqual({ p50: 0, p95: 0, max: 0 });
});
