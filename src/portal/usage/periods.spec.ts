import { describe, expect, it } from '@jest/globals';
import { type RangeChoice, rangeOf } from './periods.js';

const NOW = Date.parse('2027-05-01T10:07:31.250Z');
const range = (choice: RangeChoice) => {
  const { before, from, to, ...rest } = rangeOf(choice, NOW);
  const text = (at: number) => new Date(at).toISOString().replace(/:00\.000Z$/, '');
  return { before: text(before), from: text(from), to: text(to), ...rest, lengths: (to - from) / (from - before) };
};

describe('the period of the usage page', () => {
  it.each([
    ['hour', '2027-05-01T09:05', 60],
    ['day', '2027-04-30T10:00', 900],
    ['week', '2027-04-24T10:00', 7_200],
    ['month', '2027-04-01T00:00', 86_400],
  ] as const)(
    '"%s" ends now, begins with a complete step and slot, and follows one of the same length',
    (period, from, stepSeconds) => {
      expect(range({ period })).toMatchObject({
        name: period,
        from,
        to: new Date(NOW).toISOString(),
        stepSeconds,
        lengths: 1,
      });
    },
  );

  it('of entered days includes the last one, and never ends in the future', () => {
    expect(range({ period: 'custom', from: '2027-04-10', to: '2027-04-11' })).toEqual({
      ...{ name: 'custom', before: '2027-04-08T00:00', from: '2027-04-10T00:00', to: '2027-04-12T00:00' },
      ...{ stepSeconds: 3_600, lengths: 1 },
    });
    expect(range({ period: 'custom', from: '2027-05-01', to: '2029-01-01' })).toMatchObject({
      ...{ from: '2027-05-01T00:00', to: new Date(NOW).toISOString() },
    });
  });

  it('has at most 100 steps and 400 days', () => {
    const { from, stepSeconds } = range({ period: 'custom', from: '1999-01-01', to: '2027-04-30' });
    expect([from, stepSeconds]).toEqual(['2026-03-27T00:00', 604_800]);
    expect(range({ period: 'custom', from: '2027-02-01', to: '2027-04-30' }).stepSeconds).toBe(86_400);
  });

  it.each([
    [undefined, undefined],
    ['2027-04-11', '2027-04-10'],
    ['2027-13-40', '2027-04-10'],
    ['2027-06-01', '2027-06-02'],
    ['yesterday', 'today'],
  ])('is the last day instead of %p to %p', (from, to) => {
    expect(range({ period: 'custom', from, to })).toMatchObject({ name: 'day', from: '2027-04-30T10:00' });
  });
});
