import { afterEach, expect, it, jest } from '@jest/globals';
import { DatabaseClock } from './database-clock.js';

const HOUR_MS = 3_600_000;
afterEach(() => {
  jest.restoreAllMocks();
});

/** Steps the machine's clock by `ms`, as NTP or an operator does. */
function stepBy(ms: number): void {
  const realNow = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => realNow() + ms);
}

it.each([HOUR_MS, -HOUR_MS, 140_000])('a step of the machine by %i ms changes nothing', (ms) => {
  const clock = new DatabaseClock();
  const databaseMs = Date.now();
  clock.read(databaseMs, performance.now());
  stepBy(ms);
  expect(Math.abs(clock.now() - databaseMs)).toBeLessThan(1_000);
});

it('advances between two readings and follows the database', () => {
  const clock = new DatabaseClock();
  clock.read(1_000_000, performance.now());
  jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 5_000);
  expect(clock.now()).toBeGreaterThanOrEqual(1_005_000);
  clock.read(7_000_000, performance.now());
  expect(clock.now()).toBe(7_000_000);
});

it.each([
  ['ahead', 5_000, 5_000],
  ['behind', -5_000, -5_000],
  ['right', 0, 0],
])('a machine that is %s is off by at least the difference, less the trip of the reading', (_how, offMs, least) => {
  jest.spyOn(Date, 'now').mockReturnValue(1_000_000 + offMs);
  const clock = new DatabaseClock();
  const tripMs = 200;
  clock.read(1_000_000, performance.now() - tripMs);
  expect(clock.ownAheadMs).toBeLessThanOrEqual(Math.max(0, least));
  expect(clock.ownAheadMs).toBeGreaterThanOrEqual(Math.min(least, least - tripMs - 50));
  expect(Math.sign(clock.ownAheadMs)).toBe(Math.sign(least));
});
