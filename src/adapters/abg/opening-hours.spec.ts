import { describe, expect, it } from '@jest/globals';
import { heapOf } from '../../../test/support/heap.js';
import { threadMs } from '../../../test/support/thread-time.js';
import { hoursFromText, mapOpeningHours, mapSpecialHours } from './opening-hours.js';

function week(hours: ReturnType<typeof hoursFromText>): string {
  return hours.map((row) => `${row.day} ${row.open}-${row.close}`).join(' ');
}

const slots = (day: string, open: string, close: string, secondOpen = '0', secondClose = '0'): object => ({
  day,
  first_slot_open_time: open,
  first_slot_close_time: close,
  second_slot_open_time: secondOpen,
  second_slot_close_time: secondClose,
});

describe('structured hours', () => {
  it.each([
    ['times without leading zero', [slots('Mon', '800', '2300')], 'mon 08:00-23:00'],
    ['"0" everywhere is closed', [slots('Mon', '0', '0'), slots('Tue', '900', '1000')], 'tue 09:00-10:00'],
    ['"0" as opening is midnight', [slots('Mon', '0', '2400')], 'mon 00:00-24:00'],
    ['"0" as closing is midnight', [slots('Mon', '1800', '0')], 'mon 18:00-24:00'],
    ['two slots', [slots('Mon', '700', '1200', '1330', '2200')], 'mon 07:00-12:00 mon 13:30-22:00'],
    ['a slot past midnight is two days', [slots('Sat', '1800', '200')], 'sun 00:00-02:00 sat 18:00-24:00'],
    [
      'a missing second opening with "0" closing',
      [{ day: 'Sun', first_slot_open_time: '5', second_slot_close_time: '0', first_slot_close_time: '30' }],
      'sun 00:05-00:30',
    ],
    ['invalid rows give no slot', [slots('Mon', '8am', '1199'), slots('Xyz', '800', '900'), 'row'], ''],
    ['not a list', 'Mon', ''],
  ])('%s', (_case, rows, expected) => {
    expect(week(mapOpeningHours(rows, undefined))).toBe(expected);
  });

  it('take precedence over the text, which is used if they are empty', () => {
    expect(week(mapOpeningHours([slots('Mon', '800', '900')], 'Tue 8:00 AM - 9:00 AM'))).toBe('mon 08:00-09:00');
    expect(week(mapOpeningHours([], 'Tue 8:00 AM - 9:00 AM'))).toBe('tue 08:00-09:00');
  });
});

describe('hours as text', () => {
  const daily = (hours: string): string =>
    ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].map((day) => `${day} ${hours}`).join(' ');
  it.each([
    ['Sun - Mon 7:30 AM - 11:00 PM; Wed 8:00 AM - 4:00 PM', 'sun 07:30-23:00 mon 07:30-23:00 wed 08:00-16:00'],
    ['Sun - Sat open 24 hrs', daily('00:00-24:00')],
    ['Mon-Sun Open 24 Hours', daily('00:00-24:00')],
    ['Sun-Sat 0:00 AM - 12:00 AM and 0:00 AM - 12:00 AM', daily('00:00-24:00')],
    [
      'Fri - Sun 12:00 PM - 1:00 PM and 2:00 PM - 3:00 PM',
      'sun 12:00-13:00 sun 14:00-15:00 fri 12:00-13:00 fri 14:00-15:00 sat 12:00-13:00 sat 14:00-15:00',
    ],
    ['Mon 10:00 PM - 2:00 AM; Sun closed', 'mon 22:00-24:00 tue 00:00-02:00'],
    ['Saturday: 09:00 - 17:30', 'sat 09:00-17:30'],
    ['Mon 8:00 AM - 9:00 AM; by appointment', ''],
    ['call ahead', ''],
    ['Mon 99:00 - 100:00', ''],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(week(hoursFromText(text))).toBe(expected);
  });
});

describe('hours that no supplier writes', () => {
  it.each([
    ['blanks before the end', `sun${' '.repeat(900)}x\ny`],
    ['blanks between a time and the end', `sun 8:00${' '.repeat(900)}x`],
    ['far too long', `sun 8:00${' '.repeat(200_000)}x`],
  ])('are read quickly, however many blanks: %s', (_case, hours) => {
    const startedAt = threadMs();
    expect(mapOpeningHours(undefined, hours)).toEqual([]);
    // Less than one; quadratic work takes seconds.
    expect(threadMs() - startedAt).toBeLessThan(50);
  });
});

describe('hours of many slots', () => {
  /** Another text for each number below 3,000. */
  const daily = (count: number, number = 0): string => {
    const close = 600 + (number % 600);
    const slots = Array.from(
      { length: count },
      (_, at) => `0:${10 + at}-${Math.floor(close / 60)}:${10 + (close % 60) + at}`,
    );
    return `${';'.repeat(Math.floor(number / 600))}sun-sat ${slots.join(',')}`;
  };

  it('are unknown if they have more than 100', () => {
    expect(mapOpeningHours(undefined, daily(14))).toHaveLength(98);
    expect(mapOpeningHours(undefined, daily(15))).toEqual([]);
    expect(mapOpeningHours(undefined, `${daily(8)};${daily(8, 100)}`)).toEqual([]);
  });

  it('are remembered in a few megabytes, however many texts there are', () => {
    let number = 0;
    const heap = heapOf(() => {
      for (const end = number + 1_500; number < end; number += 1) mapOpeningHours(undefined, daily(14, number));
      return number;
    });
    expect(number).toBe(3_000);
    // The rows of 1,500 texts have 15 MB.
    expect(heap).toBeLessThan(8_000_000);
  });
});

describe('holiday hours', () => {
  it('keep the name, ISO dates and slots, have no slots if closed, and drop rows without name and date', () => {
    expect(
      mapSpecialHours([
        { description: 'NEW YEARS DAY', ...slots('', '0', '0') },
        { description: 'FAIR', start_date: '2031-05-06T00:00:00', end_date: '05/07/2031', ...slots('', '800', '1600') },
        { ...slots('', '800', '900') },
      ]),
    ).toEqual([
      { name: 'NEW YEARS DAY', slots: [] },
      { name: 'FAIR', from: '2031-05-06', slots: [{ open: '08:00', close: '16:00' }] },
    ]);
  });
});
