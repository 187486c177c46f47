import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it, jest } from '@jest/globals';
import { LoopLag } from './loop-lag.js';

/** Occupies the event loop, as answers to many requests do. */
function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

afterEach(() => {
  jest.useRealTimers();
});

it('is nothing while the loop waits for suppliers', () => {
  // Timers are exactly on time, which they aren't if other processes keep the machine busy.
  jest.useFakeTimers();
  const lag = new LoopLag();
  const end = lag.watch();
  jest.advanceTimersByTime(305);
  expect(end()).toBe(0);
});

it('counts what a call had to wait for the loop, even if its answer is handled before anything else', async () => {
  const lag = new LoopLag();
  const end = lag.watch();
  await wait(30);
  block(400);
  expect(end()).toBeGreaterThan(350);
});

it('counts many short delays', async () => {
  const lag = new LoopLag();
  const [end, other] = [lag.watch(), lag.watch()];
  for (let turn = 0; turn < 10; turn += 1) {
    block(60);
    await wait(0);
  }
  expect(end()).toBeGreaterThan(250);
  expect(lag.isLagging).toBe(true);
  other();
});

it('forgets that it lagged after about two seconds, and begins again with the next call', async () => {
  let nowMs = 0;
  const lag = new LoopLag(() => nowMs);
  const end = lag.watch();
  nowMs = 500;
  expect([lag.isLagging, end()]).toEqual([true, 480]);
  nowMs = 100_000;
  const next = lag.watch();
  nowMs += 10;
  expect([lag.isLagging, next()]).toEqual([false, 0]);
});
