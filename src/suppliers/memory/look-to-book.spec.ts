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
  /** Searches of one account, or of as many as there are searches. */
  const search = (times: number, account?: string): void => {
    for (let at = 0; at < times; at += 1) looks.searching(account ?? `acc_${at}`);
  };
  return { clock, states, looks, search };
}

describe('the agreed ratio of searches to bookings', () => {
  it('refuses searches beyond it as throttled, without counting them', () => {
    const { looks, search } = looking();
    search(100);
    expect(() => looks.searching('acc_new')).toThrow(CallRejectedError);
    expect(() => looks.searching('acc_new')).toThrow(expect.objectContaining({ fault: 'throttled', sent: false }));
    expect(looks.used).toBe(1);
  });

  it('allows more searches after a booking', () => {
    const { looks, search } = looking();
    looks.booked();
    search(100);
    looks.booked();
    search(100);
    expect(() => looks.searching('acc_new')).toThrow(CallRejectedError);
  });

  it('reports each refusal, and once when it is near, reached and normal again', () => {
    const { states, looks, search } = looking();
    search(79);
    expect(states).toEqual([]);
    search(21);
    expect(() => looks.searching('acc_new')).toThrow();
    expect(states).toEqual(['near', 'reached', 'refused']);
    for (let at = 0; at < 3; at += 1) looks.booked();
    expect(states).toEqual(['near', 'reached', 'refused', 'normal']);
  });

  it('lengthens the lifetime of answers from 80 % on, up to four times', () => {
    const { looks, search } = looking();
    search(40, 'a');
    search(40, 'b');
    expect(looks.stretch).toBeCloseTo(1);
    search(10, 'a');
    expect(looks.stretch).toBeCloseTo(2.5);
    search(10, 'b');
    expect(looks.stretch).toBe(4);
  });

  it('forgets what is older than its window', () => {
    const { clock, looks, search } = looking();
    search(100);
    clock.now = 24 * HOUR_MS - 1;
    expect(() => looks.searching('acc_new')).toThrow();
    clock.now = 24 * HOUR_MS;
    expect(looks.used).toBe(0);
    search(100);
  });

  describe('with several accounts', () => {
    const refused = expect.objectContaining({ fault: 'throttled', sent: false });

    it('reserves the last 20 % for accounts below their share: one account gets 80 %, the others the rest', () => {
      const { states, looks, search } = looking();
      search(80, 'busy');
      expect(() => looks.searching('busy')).toThrow(refused);
      expect(states).toEqual(['near', 'refused']);
      search(20, 'new');
      expect(looks.used).toBe(1);
      for (const account of ['busy', 'new', 'newer']) expect(() => looks.searching(account)).toThrow(refused);
      expect(looks.used).toBe(1);
    });

    it('divides the searches equally by the accounts that searched, and those of further bookings too', () => {
      const { looks, search } = looking();
      search(24, 'a');
      search(32, 'b');
      search(24, 'c');
      search(1, 'd');
      expect(() => looks.searching('b')).toThrow(refused);
      search(1, 'a');
      expect(() => looks.searching('a')).toThrow(refused);
      looks.booked();
      looks.booked();
      search(78, 'a');
      expect(() => looks.searching('a')).toThrow(refused);
      search(18, 'b');
      expect(() => looks.searching('b')).toThrow(refused);
    });

    it('lets one account use more than its share while less than 80 % are used', () => {
      const { search } = looking();
      search(1, 'a');
      search(79, 'b');
    });

    it('forgets the searches of an account with their hours', () => {
      const { clock, looks, search } = looking();
      search(40, 'early');
      clock.now = 12 * HOUR_MS;
      search(40, 'late');
      search(10, 'early');
      expect(() => looks.searching('early')).toThrow(refused);
      clock.now = 24 * HOUR_MS;
      search(40, 'early');
      expect(() => looks.searching('early')).toThrow(refused);
      clock.now = 36 * HOUR_MS;
      expect(looks.used).toBe(0.4);
    });

    it('counts accounts beyond 1,024 together', () => {
      const { looks, search } = looking(10_240);
      search(1_024);
      search(7_000, 'acc_0');
      search(168, 'further');
      expect(() => looks.searching('furthest')).toThrow(refused);
      search(9, 'acc_1');
    });
  });
});
