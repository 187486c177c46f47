import { describe, expect, it } from '@jest/globals';
import { latestOfLocal, toLocal, toUtc } from './zone-clock.js';

describe('toUtc', () => {
  it.each([
    // plain winter and summer
    ['America/New_York', '2026-01-15T10:00:00', '2026-01-15T15:00:00Z'],
    ['America/New_York', '2026-07-15T10:00:00', '2026-07-15T14:00:00Z'],
    // the gap 02:00–03:00 moves forward, its edges do not
    ['America/New_York', '2026-03-08T01:59:59', '2026-03-08T06:59:59Z'],
    ['America/New_York', '2026-03-08T02:30:00', '2026-03-08T07:30:00Z'],
    ['America/New_York', '2026-03-08T03:00:00', '2026-03-08T07:00:00Z'],
    // 01:00–02:00 occurs twice: the first occurrence
    ['America/New_York', '2026-11-01T00:59:59', '2026-11-01T04:59:59Z'],
    ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T05:30:00Z'],
    ['America/New_York', '2026-11-01T02:00:00', '2026-11-01T07:00:00Z'],
    ['Europe/London', '2026-03-29T00:59:00', '2026-03-29T00:59:00Z'],
    ['Europe/London', '2026-03-29T01:30:00', '2026-03-29T01:30:00Z'],
    ['Europe/London', '2026-03-29T02:00:00', '2026-03-29T01:00:00Z'],
    ['Europe/London', '2026-10-25T01:30:00', '2026-10-25T00:30:00Z'],
    ['Europe/London', '2026-10-25T02:00:00', '2026-10-25T02:00:00Z'],
    // half an hour of daylight saving time
    ['Australia/Lord_Howe', '2026-10-04T01:45:00', '2026-10-03T15:15:00Z'],
    ['Australia/Lord_Howe', '2026-10-04T02:15:00', '2026-10-03T15:45:00Z'],
    ['Australia/Lord_Howe', '2026-10-04T02:45:00', '2026-10-03T15:45:00Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:30:00', '2026-04-04T14:30:00Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00Z'],
    ['Australia/Lord_Howe', '2026-04-05T02:00:00', '2026-04-04T15:30:00Z'],
    // no daylight saving time
    ['Asia/Kolkata', '2026-03-29T02:30:00', '2026-03-28T21:00:00Z'],
    ['Asia/Kolkata', '2026-12-31T23:59:59', '2026-12-31T18:29:59Z'],
    // a skipped day
    ['Pacific/Apia', '2011-12-29T23:59:59', '2011-12-30T09:59:59Z'],
    ['Pacific/Apia', '2011-12-30T12:00:00', '2011-12-30T22:00:00Z'],
    ['Pacific/Apia', '2011-12-31T00:00:00', '2011-12-30T10:00:00Z'],
    ['Pacific/Apia', '2026-06-01T08:00:00', '2026-05-31T19:00:00Z'],
    ['UTC', '2028-02-29T00:00:00', '2028-02-29T00:00:00Z'],
  ])('%s %s is %s, uncached and cached', (zone, local, instant) => {
    expect(toUtc(local, zone)).toBe(instant);
    expect(toUtc(local, zone)).toBe(instant);
  });

  it('is the inverse of toLocal if the local time exists', () => {
    for (const zone of [
      'America/New_York',
      'Europe/London',
      'Australia/Lord_Howe',
      'Asia/Kolkata',
      'Pacific/Apia',
      'Africa/Casablanca',
    ]) {
      for (let hour = 0; hour < 24 * 366; hour += 7) {
        const local = toLocal(Date.UTC(2026, 0, 1, hour), zone);
        expect(toLocal(Date.parse(toUtc(local, zone)), zone)).toBe(local);
      }
    }
  });

  it('rejects an unknown zone and an invalid date', () => {
    expect(() => toUtc('2026-01-01T00:00:00', 'Mars/Olympus')).toThrow(RangeError);
    expect(() => toUtc('2026-13-01T00:00:00', 'UTC')).toThrow(RangeError);
  });
});

describe('latestOfLocal', () => {
  it.each([
    ['America/New_York', '2026-11-01T00:59:59', '2026-11-01T04:59:59Z'],
    ['America/New_York', '2026-11-01T01:00:00', '2026-11-01T06:00:00Z'],
    ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T06:30:00Z'],
    ['America/New_York', '2026-11-01T02:00:00', '2026-11-01T07:00:00Z'],
    ['Europe/London', '2026-10-25T01:30:00', '2026-10-25T01:30:00Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T15:15:00Z'],
  ])('%s %s is %s at last', (zone, local, instant) => {
    expect(latestOfLocal(local, zone)).toBe(Date.parse(instant));
  });

  it.each([
    ['America/New_York', '2026-03-08T02:30:00'],
    ['America/New_York', '2026-03-08T03:00:00'],
    ['Pacific/Apia', '2011-12-30T12:00:00'],
    ['Asia/Kolkata', '2026-03-29T02:30:00'],
    ['UTC', '2028-02-29T00:00:00'],
  ])('%s %s is that of toUtc', (zone, local) => {
    expect(latestOfLocal(local, zone)).toBe(Date.parse(toUtc(local, zone)));
  });

  it('rejects an unknown zone', () => {
    expect(() => latestOfLocal('2026-01-01T00:00:00', 'Mars/Olympus')).toThrow(RangeError);
  });
});

describe('toLocal', () => {
  it.each([
    ['America/New_York', '2026-11-01T05:30:00Z', '2026-11-01T01:30:00'],
    ['America/New_York', '2026-11-01T06:30:00Z', '2026-11-01T01:30:00'],
    ['Australia/Lord_Howe', '2026-10-03T15:29:59Z', '2026-10-04T01:59:59'],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z', '2026-10-04T02:30:00'],
    ['Asia/Kolkata', '2026-05-01T18:30:00Z', '2026-05-02T00:00:00'],
  ])('%s shows at %s %s', (zone, instant, local) => {
    expect(toLocal(Date.parse(instant), zone)).toBe(local);
  });
});
