import { describe, expect, it } from '@jest/globals';
import { atTime, rentalDaysBetween, shift, wallClock } from './local-time.js';

describe('wallClock', () => {
  it.each([
    ['2026-03-29T02:30:00', '2026-03-29T02:30:00'],
    ['2026-03-29T02:30:00-06:00', '2026-03-29T02:30:00'],
    ['2026-03-29T02:30:00.123Z', '2026-03-29T02:30:00'],
    ['2026-03-29T02:30', '2026-03-29T02:30:00'],
    ['2026-03-29', '2026-03-29T00:00:00'],
    ['2026-02-30T10:00:00', undefined],
    ['2026-02-30T99:00:00', undefined],
    ['tomorrow', undefined],
    [undefined, undefined],
  ])('reads %s as %s', (text, local) => {
    expect(wallClock(text)).toBe(local);
  });
});

describe('shift', () => {
  it.each([
    ['2026-03-29T03:30:00', -24, 'Hour', '2026-03-28T03:30:00'],
    ['2026-03-01T10:00:00', -1, 'Day', '2026-02-28T10:00:00'],
    ['2026-03-01T10:00:00', -2, 'Week', '2026-02-15T10:00:00'],
    ['2026-03-31T10:00:00', 1, 'Year', '2027-03-31T10:00:00'],
    ['2026-03-01T00:00:00', -90, 'Minute', '2026-02-28T22:30:00'],
    ['2026-03-01T00:00:00', -1, 'FullDuration', undefined],
    ['2026-03-01T00:00:00', 1e12, 'Week', undefined],
  ])('%s moved by %i %s is %s, whatever the time zone of the machine', (local, count, unit, moved) => {
    expect(shift(local, count, unit)).toBe(moved);
  });
});

describe('days and times', () => {
  it('counts started days, at least one', () => {
    expect(rentalDaysBetween('2026-03-28T10:00:00', '2026-03-30T10:00:00')).toBe(2);
    expect(rentalDaysBetween('2026-03-28T10:00:00', '2026-03-30T10:01:00')).toBe(3);
    expect(rentalDaysBetween('2026-03-28T10:00:00', '2026-03-28T11:00:00')).toBe(1);
  });

  it('sets the time of a day', () => {
    expect(atTime('2026-03-28T10:00:00', '18:00:00-05:00')).toBe('2026-03-28T18:00:00');
    expect(atTime('2026-03-28T10:00:00', 'noon')).toBeUndefined();
  });
});
