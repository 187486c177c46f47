import { describe, expect, it } from '@jest/globals';
import { sampleEntry } from './fixtures/sample-entry.js';
import { JournaledBookings } from './journaled-bookings.js';

const MOST = 100_000;
const entry = (number: number) =>
  sampleEntry({ ref: `res_${String(number).padStart(20, '0')}`, key: `key-${number}`, quote: `quote-${number}` });
const keyOf = (number: number) => ({ applicationId: 'app_a', key: `key-${number}`, bodyHash: 'hash' });

describe('the bookings that are remembered', () => {
  it(`are at most ${MOST} of this process: the oldest is forgotten`, () => {
    const bookings = new JournaledBookings();
    for (let number = 0; number <= MOST; number += 1) bookings.remember(entry(number));
    expect([bookings.ofKey(keyOf(0)), bookings.ofReference('app_a', entry(0).ref)]).toEqual([undefined, undefined]);
    expect(bookings.ofQuote('quote-0')).toBeUndefined();
    expect([bookings.ofKey(keyOf(MOST)), bookings.ofQuote(`quote-${MOST}`)]).toEqual([entry(MOST), entry(MOST)]);
    expect(bookings.ofReference('app_a', entry(1).ref)).toEqual(entry(1));
    expect(bookings.size).toBe(0);
  });

  it(`are at most ${MOST} lost ones: a database that lacks more is another one`, () => {
    const bookings = new JournaledBookings();
    for (let number = 0; number < MOST; number += 1) bookings.add(entry(number));
    bookings.add(entry(0));
    expect(bookings.size).toBe(MOST);
    expect(() => bookings.add(entry(MOST))).toThrow('not the database of this gateway');
  });
});
