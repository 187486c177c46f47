import { describe, expect, it } from '@jest/globals';
import { threadMs } from '../../../test/support/thread-time.js';
import { UnreadableAmountError } from '../../model/money.js';
import { Warnings } from '../../model/warnings.js';
import { extrasInRate, mapChosenExtras, mapCoverages, mapExtras, mapNoShowFee } from './option-mapping.js';
import { mapDistancePolicy } from './vehicle-mapping.js';
import { numeric } from './wire.js';

describe('the no-show fee that is listed among the extras', () => {
  it.each([
    [{ amount: 50 }, 5_000, 'USD'],
    [{ amount: '50.00', total_owed: 0, currency: 'gbp' }, 5_000, 'GBP'],
    [{ amount: 25, total_owed: '75.00' }, 7_500, 'USD'],
  ])('of %j is %d %s', (row, amountMinor, currency) => {
    const warnings = new Warnings();
    expect(
      mapNoShowFee(
        [
          { code: 'GPS', amount: 1 },
          { code: 'NSF', ...row },
        ],
        'USD',
        warnings,
      ),
    ).toEqual({
      amountMinor,
      currency,
    });
    expect(warnings.list).toEqual([]);
  });

  it.each([
    [undefined, 0],
    [[{ code: 'GPS', amount: 50 }], 0],
    [[{ code: 'NSF', amount: 0 }], 0],
    [[{ code: 'NSF', amount: 50, currency: 'POUNDS' }], 1],
    [[{ code: 'NSF', amount: '1.2.3' }], 1],
  ])('of %j is unknown, with %d warnings', (rows, count) => {
    const warnings = new Warnings();
    expect(mapNoShowFee(rows, 'USD', warnings)).toBeUndefined();
    expect(warnings.list).toHaveLength(count);
  });
});

describe('the price of an extra per piece', () => {
  const priceOf = (row: object) => mapExtras([{ code: 'CSS', ...row }], 'USD')[0]?.priceTotal;

  it.each([
    [2, 'USD', { amountMinor: 4_000, currency: 'USD' }],
    ['2', 'USD', { amountMinor: 4_000, currency: 'USD' }],
    [undefined, undefined, { amountMinor: 8_000, currency: 'USD' }],
    ['NA', 'NA', { amountMinor: 8_000, currency: 'USD' }],
    [0, '', { amountMinor: 8_000, currency: 'USD' }],
    [1, 'cad', { amountMinor: 8_000, currency: 'CAD' }],
  ])('of %j pieces in %j is %j', (quantity, currency, price) => {
    expect(priceOf({ quantity, currency, total_owed: '80.00' })).toEqual(price);
  });

  it.each([
    ['2 pieces', 'USD'],
    ['2,0', 'USD'],
    ['0x2', 'USD'],
    [1.5, 'USD'],
    [-2, 'USD'],
    [2, 'US$'],
    [2, 'DOLLARS'],
  ])('of %j pieces in %j is unreadable', (quantity, currency) => {
    expect(() => priceOf({ quantity, currency, total_owed: '80.00' })).toThrow(UnreadableAmountError);
  });

  it.each([
    [{ quantity: 0, amount: '13.00', total_owed: '0.00' }, '13.00 a day'],
    [{ amount: '13.00', total_owed: 0 }, '13.00 a day'],
    [{ quantity: 1, amount: '13.00', total_owed: '0.00' }, '13.00 a day, 0.00'],
    [{ quantity: 0, amount: '0.00', total_owed: '0.00' }, '0.00'],
    [{ quantity: 0, amount: '-8.00', total_owed: '-24.00' }, ''],
    [{ quantity: 0, amount: '-8.00' }, ''],
    [{ quantity: 1, amount: '8.00', total_owed: '24.00' }, '8.00 a day, 24.00'],
  ])('of %j is "%s"', (row, expected) => {
    const [extra] = mapExtras([{ code: 'CSS', ...row }], 'USD');
    const shown = (price: { amountMinor: number } | undefined, unit = '') =>
      price === undefined ? [] : [`${(price.amountMinor / 100).toFixed(2)}${unit}`];
    expect([...shown(extra?.pricePerDay, ' a day'), ...shown(extra?.priceTotal)].join(', ')).toBe(expected);
  });

  it('of a booking is not read, so that the booking remains readable', () => {
    expect(mapChosenExtras([{ code: 'CSS', quantity: '2 pieces', currency: 'US$' }])).toBeUndefined();
  });

  it('of a booking is booked if a quantity says so; a list without any, as of the contract, says nothing', () => {
    const [css, gps] = [
      { code: 'CSS', quantity: 0 },
      { code: 'GPS', quantity: 1 },
    ];
    expect(mapChosenExtras([css, gps])).toEqual([{ code: 'GPS', quantity: 1 }]);
    expect([mapChosenExtras([css]), mapChosenExtras([])]).toEqual([undefined, []]);
  });
});

it.each([
  ['3', 3],
  [' 3.5 ', 3.5],
  ['-1', -1],
  ['0x10', undefined],
  ['1e3', undefined],
  ['3,5', undefined],
  ['Infinity', undefined],
])('%j is the number %j', (text, number) => {
  expect(numeric(text)).toBe(number);
});

describe('the included distance', () => {
  const included = (distance_covered: unknown) => {
    const distance = { unlimited_distance: 'False', distance_unit: 'KM', distance_covered };
    return mapDistancePolicy(distance, 'USD', new Warnings())[0]?.included?.value;
  };

  it.each([
    ['600', 600],
    ['600.5', 600.5],
    [1_000, 1_000],
    ['1.000', undefined],
    ['1,000', undefined],
    [-5, undefined],
  ])('%j is %s', (covered, value) => {
    expect(included(covered)).toBe(value);
  });
});

it('options that come with the rate are found quickly, however many there are', () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ code: `E${index}`, included_in_rate: true }));
  const startedAt = threadMs();
  const codes = extrasInRate(rows, [], rows.map(({ code }) => code).reverse());
  expect(mapExtras(rows, 'USD', codes).every(({ mandatory }) => mandatory)).toBe(true);
  expect(mapCoverages(rows, 'USD', codes).every(({ included }) => included)).toBe(true);
  expect(threadMs() - startedAt).toBeLessThan(500);
});
