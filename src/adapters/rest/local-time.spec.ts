import { describe, expect, it } from '@jest/globals';
import { formatFault, knownZone, readDeadline, readInstant, readLocal, writeLocal } from './local-time.js';

describe('a time of an answer', () => {
  it.each<readonly [value: unknown, format: string, zone: string | undefined, expected: string | undefined]>([
    ['2031-05-06T10:00:00', 'iso', undefined, '2031-05-06T10:00:00'],
    ['2031-05-06T10:00', 'iso', undefined, '2031-05-06T10:00:00'],
    ['2031-05-06 10:00:30.123', 'iso', undefined, '2031-05-06T10:00:30'],
    ['2031-05-06T10:00:00+02:00', 'iso', 'Asia/Tokyo', '2031-05-06T10:00:00'],
    ['2031-05-06T10:00:00Z', 'iso', undefined, '2031-05-06T10:00:00'],
    ['2031-02-30T10:00:00', 'iso', undefined, undefined],
    ['2031-05-06T24:00:00', 'iso', undefined, undefined],
    ['tomorrow', 'iso', undefined, undefined],
    [1_935_828_000, 'iso', undefined, undefined],
    ['06.05.2031 10:00', 'DD.MM.YYYY HH:mm', undefined, '2031-05-06T10:00:00'],
    ['20310506T100030', 'YYYYMMDDTHHmmss', undefined, '2031-05-06T10:00:30'],
    ['31.04.2031 10:00', 'DD.MM.YYYY HH:mm', undefined, undefined],
    ['06.05.2031 10:00 and more', 'DD.MM.YYYY HH:mm', undefined, undefined],
    ['06x05x2031 10:00', 'DD.MM.YYYY HH:mm', undefined, undefined],
    [Date.parse('2031-05-06T14:00:00Z') / 1_000, 'epoch-seconds', 'America/New_York', '2031-05-06T10:00:00'],
    [String(Date.parse('2031-05-06T14:00:00Z') / 1_000), 'epoch-seconds', 'America/New_York', '2031-05-06T10:00:00'],
    [Date.parse('2031-01-06T14:00:00Z'), 'epoch-millis', 'America/New_York', '2031-01-06T09:00:00'],
    [Date.parse('2031-05-06T14:00:00Z'), 'epoch-millis', undefined, undefined],
    [Date.parse('2031-05-06T14:00:00Z'), 'epoch-millis', 'Mars/Base', undefined],
    [Date.parse('2031-05-06T14:00:00Z'), 'epoch-seconds', 'America/New_York', undefined],
    [0, 'epoch-seconds', 'UTC', undefined],
    [Number.NaN, 'epoch-seconds', 'UTC', undefined],
    [{ $date: 1 }, 'epoch-millis', 'UTC', undefined],
  ])('%j as %s in %s is %s', (value, format, zone, expected) => {
    expect(readLocal(value, format, zone)).toBe(expected);
  });

  it.each<readonly [value: unknown, format: string, zone: string | undefined, expected: string | undefined]>([
    ['2031-05-06T10:00:00', 'iso', 'America/New_York', '2031-05-06T10:00:00'],
    ['2031-05-06T14:00:00Z', 'iso', 'America/New_York', '2031-05-06T10:00:00'],
    ['2031-05-07 01:30:00.5+0200', 'iso', 'America/New_York', '2031-05-06T19:30:00'],
    ['2031-05-06T10:00-04:00', 'iso', 'America/New_York', '2031-05-06T10:00:00'],
    // A wall clock with Z, or with the offset of a head office, is never moved later.
    ['2031-05-06T10:00:00Z', 'iso', 'Europe/Madrid', '2031-05-06T10:00:00'],
    ['2031-05-06T10:00:00Z', 'iso', 'Pacific/Auckland', '2031-05-06T10:00:00'],
    ['2031-05-06T10:00:00-04:00', 'iso', 'Asia/Tokyo', '2031-05-06T10:00:00'],
    // Without a zone that is known, it is one of those where the location may be: here, New York and Los Angeles.
    ['2031-05-06T10:00:00-07:00', 'iso', undefined, '2031-05-06T10:00:00'],
    ['2031-05-06T10:00:00-04:00', 'iso', undefined, '2031-05-06T07:00:00'],
    ['2031-05-06T10:00:00+02:00', 'iso', 'Mars/Base', '2031-05-06T01:00:00'],
    ['2031-05-06T14:00:00Z', 'iso', undefined, '2031-05-06T07:00:00'],
    ['2031-05-06T14:00:00+0000', 'iso', undefined, '2031-05-06T07:00:00'],
    ['2031-05-06T14:00:00', 'iso', undefined, '2031-05-06T14:00:00'],
    ['2031-02-30T14:00:00Z', 'iso', 'America/New_York', undefined],
    ['2031-05-06T14:00:00+99:99', 'iso', 'America/New_York', undefined],
    ['2031-05-06T10:00:00Z', 'YYYY-MM-DDTHH:mm:ssZ', 'America/New_York', '2031-05-06T10:00:00'],
    [Date.parse('2031-05-06T14:00:00Z') / 1_000, 'epoch-seconds', 'America/New_York', '2031-05-06T10:00:00'],
  ])('%j as a deadline of %s in %s is %s', (value, format, zone, expected) => {
    const zones = () => ['America/New_York', 'America/Los_Angeles'];
    expect(readDeadline(value, format, zone, zones)).toBe(expected);
  });

  it.each([
    ['2031-05-06T10:00:00Z', 'iso', '2031-05-06T10:00:00Z'],
    ['2031-05-06T10:00:00+02:00', 'iso', '2031-05-06T08:00:00Z'],
    ['2031-05-06T10:00:00', 'iso', undefined],
    [1_935_828_000, 'epoch-seconds', new Date(1_935_828_000_000).toISOString().replace('.000', '')],
    ['06.05.2031 10:00', 'DD.MM.YYYY HH:mm', undefined],
  ])('%j as an instant of %s is %s', (value, format, expected) => {
    expect(readInstant(value, format)).toBe(expected);
  });
});

it('a time in a request is written in its pattern', () => {
  expect(writeLocal('2031-05-06T10:00:30', 'iso')).toBe('2031-05-06T10:00:30');
  expect(writeLocal('2031-05-06T10:00:30', 'DD/MM/YYYY HH:mm')).toBe('06/05/2031 10:00');
});

it.each(['YYYY-MM-DD', 'HH:mm', 'rfc822', 'YYYY-MM-DD HH:mm HH', ''])('"%s" is not a format', (format) => {
  expect(formatFault(format)).toBeDefined();
});

it('a zone has one canonical name, however a supplier writes it', () => {
  expect(knownZone('europe/BERLIN')).toBe('Europe/Berlin');
  expect(knownZone('us/EASTERN')).toBe('America/New_York');
  expect(knownZone('Us/Eastern')).toBe('America/New_York');
  expect(knownZone('../../etc/passwd')).toBeUndefined();
  expect(knownZone('E'.repeat(100))).toBeUndefined();
});
