import { describe, expect, it } from '@jest/globals';
import { UnreadableAmountError } from '../../model/money.js';
import { parseExpression } from './expression.js';
import { termsOf } from './fixtures/tiny.js';
import { AnswerReader } from './wire.js';

const v = parseExpression('v');
const readerOf = (options = {}) => new AnswerReader(termsOf(options), {}, {});
const reader = readerOf();

it('a number is read from text of up to 15 digits, such as epoch milliseconds', () => {
  expect(reader.number(v, { v: '1935828000000' })).toBe(1_935_828_000_000);
  expect(reader.number(v, { v: '1'.repeat(16) })).toBeUndefined();
});

describe('money', () => {
  it.each([
    ['12.34', 1_234],
    [12.34, 1_234],
    ['0.1', 10],
    [0.1 + 0.2, 30],
    ['-5', -500],
    ['', undefined],
    [null, undefined],
  ])('decimal %j is %s cents', (value, amountMinor) => {
    expect(reader.money(v, { v: value }, 'USD')?.amountMinor).toBe(amountMinor);
  });

  it.each([
    [1_234, 1_234],
    ['1234', 1_234],
    [-5, -5],
  ])('minor units %j are %s', (value, amountMinor) => {
    expect(readerOf({ money: 'minor' }).money(v, { v: value }, 'USD')?.amountMinor).toBe(amountMinor);
  });

  it.each([
    ['decimal', '12,34'],
    ['decimal', '1.234'],
    ['decimal', '1e3'],
    ['decimal', Number.POSITIVE_INFINITY],
    ['decimal', true],
    ['decimal', ['12.34']],
    ['decimal', { amount: '12.34' }],
    ['decimal', '9'.repeat(50)],
    ['minor', 12.5],
    ['minor', '12.5'],
    ['minor', 2 ** 53],
    ['minor', false],
  ])('%s %j is present but unreadable, which is not the same as absent', (money, value) => {
    expect(() => readerOf({ money }).money(v, { v: value }, 'USD')).toThrow(UnreadableAmountError);
  });

  it('has the digits of its currency, and is undefined in an unknown currency', () => {
    expect(reader.money(v, { v: '500' }, 'JPY')).toEqual({ amountMinor: 500, currency: 'JPY' });
    expect(reader.currency(v, { v: 'eur' })).toBe('EUR');
    expect(reader.currency(parseExpression("'CHF'"), {})).toBe('CHF');
    expect(reader.currency(v, { v: 'DUNES' })).toBeUndefined();
    expect(reader.money(v, { v: '500' }, undefined)).toBeUndefined();
  });
});

describe('text', () => {
  it.each([
    [' Quarry ', 'Quarry'],
    [4_711, '4711'],
    [2 ** 53, undefined],
    [1.5, undefined],
    ['', undefined],
    ['   ', undefined],
    ['x'.repeat(1_001), undefined],
    [{}, undefined],
    [true, undefined],
  ])('%j is %s', (value, expected) => {
    expect(reader.text(v, { v: value })).toBe(expected);
  });

  it('of a list leaves out members that are not text', () => {
    expect(reader.texts(v, { v: ['a', 7, ' ', null, 'b'] })).toEqual(['a', 'b']);
    expect(reader.texts(v, { v: 'a' })).toEqual([]);
  });
});

it.each([
  [5, 5],
  ['5', 5],
  [-1, undefined],
  [1.5, undefined],
  ['5 seats', undefined],
  [Number.NaN, undefined],
])('count %j is %s', (value, expected) => {
  expect(reader.count(v, { v: value })).toBe(expected);
});

it.each([
  [true, true],
  [0, false],
  ['1', true],
  ['N', false],
  ['maybe', undefined],
  [2, undefined],
  [null, undefined],
])('flag %j is %s', (value, expected) => {
  expect(reader.flag(v, { v: value })).toBe(expected);
});

describe('a clock', () => {
  it.each([
    ['08:30', 'HH:mm', '08:30'],
    ['24:00', 'HH:mm', '24:00'],
    ['25:00', 'HH:mm', undefined],
    [510, 'HH:mm', undefined],
    [510, 'minutes', '08:30'],
    [1_440, 'minutes', '24:00'],
    [1_441, 'minutes', undefined],
    ['08:30', 'minutes', undefined],
  ])('%j as %s is %s', (value, clock, expected) => {
    expect(readerOf({ times: { clock } }).clock(v, { v: value })).toBe(expected);
  });
});

describe('a code', () => {
  it('is looked up in its table as text, and is unknown if the table does not list it', () => {
    const read = readerOf({
      tables: { payment: { 1: 'pay_now' }, sipp: { A7: 'ECMR' }, extra: { 8: 'toddler_seat' }, brand: { T: 'Tiny' } },
    });
    expect(read.word('payment', v, { v: 1 })).toBe('pay_now');
    expect(read.word('payment', v, { v: 2 })).toBeUndefined();
    expect(read.word('payment', v, { v: 'pay_now' })).toBeUndefined();
    expect(read.sippCode(v, { v: 'A7' })).toBe('ECMR');
    expect(read.sippCode(v, { v: 'ECMR' })).toBeUndefined();
    expect(read.openWord('extra', v, { v: 8 })).toBe('toddler_seat');
    expect(read.brand(v, { v: 'T' })).toBe('Tiny');
  });

  it.each(['__proto__', 'constructor', 'toString'])('named %s is unknown like any other', (code) => {
    const read = readerOf({ tables: { payment: { 1: 'pay_now' }, extra: { 8: 'toddler_seat' } } });
    expect(read.word('payment', v, { v: code })).toBeUndefined();
    expect(reader.word('payment', v, { v: code })).toBeUndefined();
    expect(read.openWord('extra', v, { v: code })).toBeUndefined();
  });

  it('without a table is one of our words or undefined', () => {
    expect(reader.word('payment', v, { v: 'pay_later' })).toBe('pay_later');
    expect(reader.word('payment', v, { v: 'later' })).toBeUndefined();
    expect(reader.openWord('extra', v, { v: 'roof_box' })).toBe('roof_box');
    expect(reader.openWord('extra', v, { v: 'Roof box' })).toBeUndefined();
  });
});

describe('a ref', () => {
  it('keeps numbers as numbers and text as text', () => {
    expect(reader.ref({ grp: v, on: parseExpression('on') }, { v: 7, on: true })).toEqual({ grp: 7, on: true });
  });

  it.each([undefined, null, '', 'x'.repeat(501), 1.5, 2 ** 60, {}, []])('is undefined if a member is %j', (value) => {
    expect(reader.ref({ grp: v }, { v: value })).toBeUndefined();
  });
});
