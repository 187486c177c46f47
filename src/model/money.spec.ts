import { describe, expect, it } from '@jest/globals';
import {
  currencyDigits,
  divideMoney,
  formatAmount,
  isCurrency,
  type MoneyForm,
  parseDecimal,
  parseMoney,
  roundedMoney,
  sumMoney,
  UnreadableAmountError,
} from './money.js';

describe('an amount of a supplier', () => {
  it.each([
    ['252.99', 'USD', 25_299, '252.99'],
    [264.33, 'GBP', 26_433, '264.33'],
    [1_099_511.45, 'USD', 109_951_145, '1099511.45'],
    [0.1 + 0.2, 'USD', 30, '0.30'],
    ['500', 'JPY', 500, '500'],
    ['500.00', 'JPY', 500, '500'],
    ['12.345', 'KWD', 12_345, '12.345'],
    ['12.5000', 'EUR', 1_250, '12.50'],
    ['1234.500', 'EUR', 123_450, '1234.50'],
    ['0.000', 'EUR', 0, '0.00'],
    ['-0.05', 'USD', -5, '-0.05'],
    ['-0', 'USD', 0, '0.00'],
    [' 7 ', 'EUR', 700, '7.00'],
    ['00.00', 'USD', 0, '0.00'],
  ] as const)('%s %s is %i minor units, written %s', (value, currency, minor, text) => {
    const money = parseMoney(value, currency);
    expect(money).toEqual({ amountMinor: minor, currency });
    expect(money && formatAmount(money)).toBe(text);
  });

  it.each([[''], [' '], ['N/A'], ['-'], [null], [undefined]])('is absent for %s', (value) => {
    expect(parseMoney(value, 'USD')).toBeUndefined();
  });

  it.each([
    ['1.234', 'EUR', 'has more than the 2 decimals of EUR'],
    ['3.703', 'TRY', 'has more than the 2 decimals of TRY'],
    ['89.990', 'CLP', 'has more than the 0 decimals of CLP'],
    ['12.345', 'JPY', 'has more than the 0 decimals of JPY'],
    ['499.5', 'JPY', 'has more than the 0 decimals of JPY'],
    ['12.3456', 'KWD', 'has more than the 3 decimals of KWD'],
    ['12.500', 'EUR', 'has three digits that may be decimals or thousands'],
    ['89.000', 'CLP', 'has three digits that may be decimals or thousands'],
    ['1,000.00', 'USD', 'is not written as 1234.56'],
    ['1.234,50', 'EUR', 'is not written as 1234.56'],
    ['1e3', 'USD', 'is not written as 1234.56'],
    ['9'.repeat(30), 'USD', 'is too large'],
    ['1'.repeat(41), 'USD', 'has more than 40 characters'],
    [12.345, 'EUR', 'is not a number with the 2 decimals of EUR'],
    [89.99, 'CLP', 'is not a number with the 0 decimals of CLP'],
    [0.005, 'USD', 'is not a number with the 2 decimals of USD'],
    [Number.NaN, 'USD', 'is not a number with the 2 decimals of USD'],
  ] as const)('%s %s is rejected, never rounded: it %s', (value, currency, reason) => {
    expect(() => parseMoney(value, currency)).toThrow(UnreadableAmountError);
    expect(() => parseMoney(value, currency)).toThrow(reason);
  });

  it.each<[MoneyForm, string | number, string, number]>([
    [{ thousands: '.', decimal: ',' }, '3.703,50', 'TRY', 370_350],
    [{ thousands: '.', decimal: ',' }, '3703,5', 'TRY', 370_350],
    [{ thousands: '.', decimal: ',' }, '89.000', 'CLP', 89_000],
    [{ thousands: '.', decimal: ',' }, '1.234.567', 'IDR', 123_456_700],
    [{ thousands: ',' }, '12,345.6', 'USD', 1_234_560],
    [{ thousands: ' ', decimal: ',' }, '12\u00a0345,60', 'EUR', 1_234_560],
    [{ thousands: "'" }, "1'234.55", 'CHF', 123_455],
    [{ decimal: '.' }, '12.500', 'EUR', 1_250],
    [{ minor: true }, '12345', 'USD', 12_345],
    [{ minor: true, thousands: '.' }, '12.345', 'USD', 12_345],
    [{ minor: true }, 12_345, 'USD', 12_345],
  ])('written as %j: %s %s is %i minor units', (form, value, currency, amountMinor) => {
    expect(parseMoney(value, currency, form)).toEqual({ amountMinor, currency });
  });

  it.each<[MoneyForm, string | number, string]>([
    [{ thousands: '.', decimal: ',' }, '12.34', 'EUR'],
    [{ thousands: '.', decimal: ',' }, '12.50', 'EUR'],
    [{ thousands: '.', decimal: ',' }, '12,345', 'EUR'],
    [{ thousands: ',' }, '1,23.00', 'EUR'],
    // Nothing is grouped below a thousand: these are decimals.
    [{ thousands: '.', decimal: ',' }, '0.080', 'KWD'],
    [{ thousands: '.', decimal: ',' }, '012.345', 'EUR'],
    [{ decimal: '.' }, '1.234', 'EUR'],
    [{ decimal: ',' }, '12.50', 'EUR'],
    [{ minor: true }, '12.50', 'EUR'],
    [{ minor: true }, 12.5, 'EUR'],
  ])('written as %j: %s %s is rejected', (form, value, currency) => {
    expect(() => parseMoney(value, currency, form)).toThrow(UnreadableAmountError);
  });
});

it.each([
  ['0.005', 'USD', 1],
  ['499.5', 'JPY', 500],
  ['-0.05', 'USD', -5],
] as const)('an amount of a caller is rounded: %s %s is %i minor units', (text, currency, amountMinor) => {
  expect(roundedMoney(text, currency)).toEqual({ amountMinor, currency });
});

it.each(['', 'abc', '1,000.00', '1e3'])('an amount of a caller is undefined for "%s"', (text) => {
  expect(roundedMoney(text, 'USD')).toBeUndefined();
});

it.each<[text: string, form: MoneyForm | undefined, number: number | undefined]>([
  ['20', undefined, 20],
  ['+020.50', undefined, 20.5],
  ['20,5', undefined, undefined],
  ['20.', undefined, undefined],
  ['20%', undefined, undefined],
  ['-20', undefined, undefined],
  ['0x14', undefined, undefined],
  ['2e1', undefined, undefined],
  ['', undefined, undefined],
  ['999999999', undefined, 999_999_999],
  ['1000000000', undefined, undefined],
  [`1.${'0'.repeat(39)}`, undefined, undefined],
  ['1.500,5', { thousands: '.', decimal: ',' }, 1_500.5],
  ['20.5', { thousands: '.', decimal: ',' }, undefined],
  ['20.5', { minor: true }, 20.5],
  ["1'500", { thousands: "'", minor: true }, 1_500],
])('a quantity or percentage, "%s" in %j, is %p', (text, form, number) => {
  expect(parseDecimal(text, form)).toBe(number);
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
    expect(['USD', 'JPY', 'KWD', 'CLP', 'ISK', 'BHD', 'XCG', 'XOF'].map(currencyDigits)).toEqual([
      2, 0, 3, 0, 0, 3, 2, 0,
    ]);
  });

  it('knows the currencies that Intl knows, except ended ones, and no code that is not money', () => {
    const ended = ['HRK', 'SLL', 'ZWL'];
    const unknown = Intl.supportedValuesOf('currency').filter((code) => !isCurrency(code));
    expect(unknown.filter((code) => !/^X(A[GU]|DR|P[DT]|SU|TS|UA|XX|B.)$/.test(code))).toEqual(ended);
    expect(['XXX', 'XTS', 'XAU', 'XDR', 'usd', 'US'].filter(isCurrency)).toEqual([]);
  });
});
