import { describe, expect, it } from '@jest/globals';
import { CallRejectedError } from '../resilience/call-rejected.js';
import { LookToBook } from './look-to-book.js';

const HOUR_MS = 3_600_000;

function looking(ratio = 100) {
  const clock = { now: 0 };
  const states: string[] = [];
  const looks = new LookToBook(
    { ratio, windowHours: 24 },
    { moved: (state) => void states.push(state), refused: () => void states.push('refused') },
    () => clock.now,
  );
  const search = (times: number): void => {
    for (let at = 0; at < times; at += 1) looks.searching();
  };
  return { clock, states, looks, search };
}

describe('the agreed ratio of searches to bookings', () => {
  it('refuses searches beyond it as throttled, without counting them', () => {
    const { looks, search } = looking();
    search(100);
    expect(() => looks.searching()).toThrow(CallRejectedError);
    expect(() => looks.searching()).toThrow(expect.objectContaining({ fault: 'throttled', sent: false }));
    expect(looks.used).toBe(1);
  });

  it('allows more searches after a booking', () => {
    const { looks, search } = looking();
    looks.booked();
    search(100);
    looks.booked();
    search(100);
    expect(() => looks.searching()).toThrow(CallRejectedError);
  });

  it('reports each refusal, and once when it is near, reached and normal again', () => {
    const { states, looks, search } = looking();
    search(79);
    expect(states).toEqual([]);
    search(21);
    expect(() => looks.searching()).toThrow();
    expect(states).toEqual(['near', 'reached', 'refused']);
    for (let at = 0; at < 3; at += 1) looks.booked();
    expect(states).toEqual(['near', 'reached', 'refused', 'normal']);
  });

  it('lengthens the lifetime of answers from 80 % on, up to four times', () => {
    const { looks, search } = looking();
    search(80);
    expect(looks.stretch).toBeCloseTo(1);
    search(10);
    expect(looks.stretch).toBeCloseTo(2.5);
    search(10);
    expect(looks.stretch).toBe(4);
  });

  it('forgets what is older than its window', () => {
    const { clock, looks, search } = looking();
    search(100);
    clock.now = 24 * HOUR_MS - 1;
    expect(() => looks.searching()).toThrow();
    clock.now = 24 * HOUR_MS;
    expect(looks.used).toBe(0);
    search(100);
  });
});
