import { describe, expect, it } from '@jest/globals';
import { zonesAt } from '../places/earliest-clock.js';
import { createOtaXmlAdapter } from './adapter.js';
import { deadlineOf } from './deadlines.js';
import { answering, request } from './fixtures/booking.js';
import { fixture, settings } from './fixtures/setting.js';

const address = { lines: [], countryCode: 'US' };
const at = (iataCode?: string) => ({ date: '2027-01-10T10:00:00', zones: () => zonesAt({ address, iataCode }) });
const node = (attributes: Record<string, string>) => ({ name: 'Deadline', attributes, children: [], text: '' });
const absolute = (text: string, iataCode?: string) =>
  deadlineOf(node({ AbsoluteDeadline: text }), at(iataCode), undefined);

describe('an absolute deadline', () => {
  // Los Angeles is 8 hours behind UTC, New York 5.
  it.each([
    ['2027-01-08T18:00:00Z', 'LAX', '2027-01-08T10:00:00'],
    ['2027-01-08T18:00:00+00:00', 'LAX', '2027-01-08T10:00:00'],
    ['2027-01-08T18:00:00.000+0000', 'LAX', '2027-01-08T10:00:00'],
    ['2027-01-08T18:00Z', 'JFK', '2027-01-08T13:00:00'],
    ['18:00:00Z', 'JFK', '2027-01-10T13:00:00'],
    // The clock at the pickup.
    ['2027-01-08T18:00:00-08:00', 'LAX', '2027-01-08T18:00:00'],
    // An offset that the supplier always writes, or an instant that is later at the pickup.
    ['2027-01-08T18:00:00-10:00', 'LAX', '2027-01-08T18:00:00'],
    ['2027-01-08T18:00:00', 'LAX', '2027-01-08T18:00:00'],
    ['2027-01-08', 'LAX', '2027-01-08T00:00:00'],
    // Somewhere in the United States: as in Hawaii.
    ['2027-01-08T18:00:00Z', undefined, '2027-01-08T08:00:00'],
    ['2027-01-08T18:00:00+99:99', 'LAX', undefined],
    ['soon', 'LAX', undefined],
  ])('%s at %s is %s', (text, iataCode, clock) => {
    expect(absolute(text, iataCode)).toBe(clock);
  });

  it('is read so where it is the end of free cancellation', async () => {
    const body = fixture('rate-rule.xml')
      .toString()
      .replace(/<Deadline [^>]*>/, '<Deadline AbsoluteDeadline="2026-03-27T18:00:00+09:00"/>');
    const answer = await createOtaXmlAdapter(settings).priceCheck?.(request, answering([body]));
    expect(answer?.items[0]?.cancellation.freeUntil).toBe('2026-03-27T10:00:00');
  });
});

it('deadlines of more penalties than an offer may have are not read', async () => {
  const priced = (count: number) => {
    const body = fixture('rate-rule.xml')
      .toString()
      .replace(/<CancelPenaltyInfo>.*?<\/CancelPenaltyInfo>/s, (penalty) => penalty.repeat(count));
    return createOtaXmlAdapter(settings).priceCheck?.(request, answering([body]));
  };
  expect((await priced(100))?.items[0]?.cancellation.rules).toHaveLength(100);
  await expect(priced(101)).rejects.toMatchObject({ fault: 'bad_payload' });
});

describe('a deadline that is some time before the pickup, when the clocks are changed in between', () => {
  const before = (pickup: string, count: string, unit: string, iataCode?: string) => {
    const where = { ...at(iataCode), date: pickup };
    return deadlineOf(node({ OffsetTimeUnit: unit, OffsetUnitMultiplier: count }), where, undefined);
  };

  // In the United States, clocks go forward on 2027-03-14 and back on 2027-11-07; not in Arizona.
  it.each([
    ['2027-03-14T10:00:00', '48', 'Hour', 'LAX', '2027-03-12T09:00:00'],
    ['2027-03-14T10:00:00', '2880', 'Minute', 'LAX', '2027-03-12T09:00:00'],
    ['2027-03-14T10:00:00', '48', 'Hour', 'PHX', '2027-03-12T10:00:00'],
    ['2027-03-14T10:00:00', '48', 'Hour', undefined, '2027-03-12T09:00:00'],
    ['2027-03-14T10:00:00', '2', 'Day', 'LAX', '2027-03-12T10:00:00'],
    ['2027-11-07T10:00:00', '48', 'Hour', 'LAX', '2027-11-05T10:00:00'],
    ['2027-06-07T10:00:00', '48', 'Hour', 'LAX', '2027-06-05T10:00:00'],
    ['2027-06-07T10:00:00', '9000000', 'Hour', 'LAX', '1000-09-19T10:00:00'],
  ])('%s, %s %s at %s: %s, which is not later by any clock', (pickup, count, unit, iataCode, expected) => {
    expect(before(pickup, count, unit, iataCode)).toBe(expected);
  });
});

describe('a deadline in hours without OffsetDropTime', () => {
  const twoHours = { OffsetTimeUnit: 'Hour', OffsetUnitMultiplier: '2' };

  it.each([
    ['', '2026-03-28T23:30:00', '2026-03-29T03:30:00'],
    ['OffsetDropTime="AfterArrival"', '2026-03-29T03:30:00', '2026-03-29T03:30:00'],
    ['OffsetDropTime="BeforeArrival"', '2026-03-28T23:30:00', '2026-03-28T23:30:00'],
  ])('%s is before the pickup, and a grace period after it', async (drop, cancelBy, graceUntil) => {
    const hours = Object.entries(twoHours).map(([name, value]) => `${name}="${value}"`);
    const info = ['Deadline', 'GracePeriod'].map((name) => `<${name} ${hours.join(' ')} ${drop}/>`);
    const body = fixture('rate-rule.xml')
      .toString()
      .replace('<RateRules>', `<RateRules><NoShowFeeInfo>${info.join('')}</NoShowFeeInfo>`);
    const answer = await createOtaXmlAdapter(settings).priceCheck?.(request, answering([body]));
    expect(answer?.items[0]?.cancellation.noShow).toEqual({ cancelBy, graceUntil, text: undefined });
  });
});
