import { describe, expect, it } from '@jest/globals';
import { currencyDigits, divideMoney, formatAmount, parseMoney, sumMoney } from './money.js';

describe('parseMoney', () => {
  it.each([
    ['252.99', 'USD', 25_299, '252.99'],
    [264.33, 'GBP', 26_433, '264.33'],
    [1_099_511.45, 'USD', 109_951_145, '1099511.45'],
    ['500', 'JPY', 500, '500'],
    ['499.5', 'JPY', 500, '500'],
    ['12.3456', 'KWD', 12_346, '12.346'],
    ['0.005', 'USD', 1, '0.01'],
    ['-0.05', 'USD', -5, '-0.05'],
    ['-0', 'USD', 0, '0.00'],
    [' 7 ', 'EUR', 700, '7.00'],
    ['00.00', 'USD', 0, '0.00'],
  ] as const)('%s %s is %i minor units, written %s', (value, currency, minor, text) => {
    const money = parseMoney(value, currency);
    expect(money).toEqual({ amountMinor: minor, currency });
    expect(money && formatAmount(money)).toBe(text);
  });

  it.each([[''], ['abc'], ['1,000.00'], [null], [undefined], [Number.NaN], ['1e3']])(
    'returns undefined for %s',
    (value) => {
      expect(parseMoney(value, 'USD')).toBeUndefined();
    },
  );
});

describe('sums', () => {
  it('adds amounts that floats cannot add exactly', () => {
    const parts = ['0.1', '0.2', '0.7'].map((value) => parseMoney(value, 'USD'));
    expect(formatAmount(sumMoney('USD', parts))).toBe('1.00');
  });

  it('refuses to add two currencies', () => {
    expect(() => sumMoney('USD', [parseMoney('1', 'EUR')])).toThrow('cannot add EUR to USD');
  });

  it('rounds a division to a minor unit', () => {
    expect(divideMoney({ amountMinor: 1_000, currency: 'USD' }, 3).amountMinor).toBe(333);
    expect(divideMoney({ amountMinor: -1_001, currency: 'USD' }, 2).amountMinor).toBe(-501);
  });

  it('uses the decimals of ISO 4217', () => {
    expect(['USD', 'JPY', 'KWD', 'CLP', 'ISK', 'BHD'].map(currencyDigits)).toEqual([2, 0, 3, 0, 0, 3]);
  });
});
