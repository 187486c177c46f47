import { describe, expect, it } from '@jest/globals';
import { locationText, utcOffset } from './utc-offset.js';

const winter = Date.parse('2026-01-15T12:00:00.750Z');
const summer = Date.parse('2026-07-15T12:00:00.750Z');

describe('utcOffset', () => {
  it.each([
    ['UTC', winter, '+00:00'],
    ['Europe/London', winter, '+00:00'],
    ['Europe/London', summer, '+01:00'],
    ['America/New_York', winter, '-05:00'],
    ['America/New_York', summer, '-04:00'],
    ['America/St_Johns', winter, '-03:30'],
    ['Asia/Kathmandu', winter, '+05:45'],
    ['Pacific/Kiritimati', winter, '+14:00'],
    ['Australia/Lord_Howe', winter, '+11:00'],
    ['Australia/Lord_Howe', summer, '+10:30'],
  ])('%s at %d: %s', (zone, at, offset) => {
    expect(utcOffset(zone, at)).toBe(offset);
  });

  it('changes in the second in which the clocks change', () => {
    const spring = Date.parse('2026-03-29T01:00:00Z');
    expect([utcOffset('Europe/Berlin', spring - 1), utcOffset('Europe/Berlin', spring)]).toEqual(['+01:00', '+02:00']);
  });
});

describe('a location of v1.1', () => {
  const found = { json: '{"name":"Logan","services":[]}', timeZone: 'America/New_York' };

  it('is that of v1 with utc_offset behind its fields', () => {
    const { utc_offset, ...rest } = JSON.parse(locationText(found, 1, winter)) as Record<string, unknown>;
    expect(utc_offset).toBe('-05:00');
    expect(rest).toEqual(JSON.parse(locationText(found, 0, winter)));
  });

  it('of v1.0 is as it always was, to the byte', () => {
    expect(locationText(found, 0, winter)).toBe(found.json);
  });
});
