import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ODD_TEXT } from '../representations/fixtures/odd-text.js';
import { sampleOffer } from '../representations/fixtures/sample-offer.js';
import { LocationFactsCache, locationView } from '../representations/location-view.js';
import { foundLocationWire } from './locations.wire.js';
import { foundLocationView, utcOffset } from './utc-offset.js';

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

  it('changes in the same second as the clocks', () => {
    const spring = Date.parse('2026-03-29T01:00:00Z');
    expect([utcOffset('Europe/Berlin', spring - 1), utcOffset('Europe/Berlin', spring)]).toEqual(['+01:00', '+02:00']);
  });
});

describe('a location of v1.1', () => {
  const facts = new LocationFactsCache(createSecretKey(Buffer.alloc(32, 9)));
  const { pickup } = sampleOffer;
  const location = locationView('uno', { ...pickup, name: ODD_TEXT }, facts.of('uno', pickup));
  const textOf = (minor: number): string => JSON.stringify(foundLocationView(location, minor, winter));

  it('is that of v1.0 with utc_offset appended', () => {
    expect(textOf(1)).toBe(`${textOf(0).slice(0, -1)},"utc_offset":"-05:00"}`);
    expect(foundLocationWire.parse(JSON.parse(textOf(1)))).toMatchObject({ name: ODD_TEXT, utc_offset: '-05:00' });
  });

  it('is unchanged byte for byte in v1.0', () => {
    expect(textOf(0)).toBe(JSON.stringify(location));
  });

  it('says that its zone is estimated, which v1.0 did not', () => {
    const { iataCode: _airport, ...somewhere } = pickup;
    const estimated = locationView('uno', somewhere, facts.of('uno', somewhere));
    const [before, since] = [0, 1].map((minor) => JSON.stringify(foundLocationView(estimated, minor, winter)));
    expect(JSON.parse(since ?? '')).toMatchObject({ time_zone: 'America/New_York', time_zone_estimated: true });
    expect(before).not.toContain('estimated');
  });

  it('does not match the wire schema with an offset without a sign', () => {
    expect(foundLocationWire.safeParse({ ...location, utc_offset: '05:00' }).success).toBe(false);
  });
});
