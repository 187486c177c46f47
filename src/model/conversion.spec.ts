import { describe, expect, it } from '@jest/globals';
import currencyCodes from 'currency-codes';
import { Conversion, crossRate, isRate } from './conversion.js';
import { currencyDigits } from './money.js';

/** A generator of whole numbers below `most`, the same for every run (mulberry32). */
function seeded(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  };
}

const CODES = currencyCodes.codes();

/** A rate between 0.0001 and 99,999. */
function randomRate(random: (most: number) => number): string {
  return random(2) === 0
    ? `0.${String(1 + random(9_999)).padStart(4, '0')}`
    : `${random(100_000)}.${1 + random(9_999)}`;
}

describe('a conversion', () => {
  it.each([
    ['USD', 'EUR', '0.9234', 15_000, 13_851],
    ['EUR', 'JPY', '162.35', 1, 2],
    ['EUR', 'JPY', '150', 1, 2],
    ['EUR', 'JPY', '149.99', 1, 1],
    ['EUR', 'JPY', '150', -1, -2],
    ['JPY', 'EUR', '0.0061', 500, 305],
    ['KWD', 'USD', '3.25', 12_345, 4_012],
    ['USD', 'KWD', '0.3075', 101, 311],
    ['USD', 'EUR', '0.9248982612', 90000000006105, 83240843513647],
    ['EUR', 'EUR', '1', 12_345, 12_345],
    ['EUR', 'EUR', '1', 0, 0],
  ])('%s to %s at %s makes %i minor units %i', (from, to, rate, before, after) => {
    expect(new Conversion(from, to, rate).of(before)).toEqual({ amountMinor: after, currency: to });
  });

  it('gives the units left to the parts that lost most, the first of equal ones first', () => {
    const half = new Conversion('EUR', 'USD', '0.5');
    expect(half.parts(2, [1, 1])).toEqual({ totalMinor: 1, partsMinor: [1, 0] });
    expect(half.parts(101, [0, 101])).toEqual({ totalMinor: 51, partsMinor: [0, 51] });
    const third = new Conversion('EUR', 'USD', '0.3333');
    expect(third.parts(300, [100, 101, 99])).toEqual({ totalMinor: 100, partsMinor: [33, 34, 33] });
    expect(third.parts(0, [-100, 100])).toEqual({ totalMinor: 0, partsMinor: [-33, 33] });
  });

  it('is the same for small amounts, in numbers, as for large and negative ones', () => {
    const random = seeded(7);
    for (let round = 0; round < 5_000; round += 1) {
      const conversion = new Conversion('USD', 'EUR', `0.${1 + random(9_999_999)}`);
      const parts = [random(50_000), random(50_000), random(3)];
      const total = parts.reduce((sum, part) => sum + part, 0);
      const fast = conversion.parts(total, parts);
      // Two more parts that cancel each other are beyond exact numbers.
      const many = 10 ** 12;
      const exact = new Conversion('USD', 'EUR', conversion.rate).parts(total, [...parts, many, -many]);
      expect(fast?.totalMinor).toBe(exact?.totalMinor);
      const back = conversion.parts(
        -total,
        parts.map((part) => -part),
      );
      expect(back?.totalMinor).toBe(-(fast?.totalMinor ?? 0) + 0);
    }
  });

  it('rounds parts on their own that do not add up to their total', () => {
    expect(new Conversion('EUR', 'USD', '1.5').parts(10, [1, 1])).toEqual({ totalMinor: 15, partsMinor: [2, 2] });
  });

  it('has no amount beyond exact whole numbers', () => {
    const toRial = new Conversion('KWD', 'IRR', '137000');
    expect(toRial.of(Number.MAX_SAFE_INTEGER)).toBeUndefined();
    expect(toRial.parts(Number.MAX_SAFE_INTEGER, [Number.MAX_SAFE_INTEGER])).toBeUndefined();
  });

  it('loses nothing between parts and total, and is the exact product within half a unit, in every pair of currencies', () => {
    const random = seeded(55);
    let pairs = 0;
    for (const from of CODES)
      for (const to of CODES) {
        const rate = randomRate(random);
        const conversion = new Conversion(from, to, rate);
        const parts = Array.from({ length: 1 + random(5) }, () => random(2_000_000) - 100_000);
        const total = parts.reduce((sum, part) => sum + part, 0);
        const converted = conversion.parts(total, parts);
        const sum = converted?.partsMinor.reduce((before, part) => before + part, 0);
        const off = parts.map((part, index) => offBy(part, converted?.partsMinor[index] ?? 0, from, to, rate));
        const alone = conversion.of(total)?.amountMinor;
        const isRight = sum === converted?.totalMinor && alone === sum && off.every((units) => units < 1);
        if (!isRight || offBy(total, alone ?? 0, from, to, rate) > 0.5)
          throw new Error(`${from} to ${to} at ${rate}: ${parts.join(' ')} became ${JSON.stringify(converted)}`);
        pairs += 1;
      }
    expect(pairs).toBe(CODES.length ** 2);
    expect(new Set(CODES.map(currencyDigits))).toEqual(new Set([0, 2, 3, 4]));
  });
});

/** By how many minor units an amount differs from the exact product, computed with whole numbers of another scale. */
function offBy(before: number, after: number, from: string, to: string, rate: string): number {
  const [whole = '', fraction = ''] = rate.split('.');
  const scale = 10n ** BigInt(fraction.length + currencyDigits(from));
  const exact = BigInt(before) * BigInt(whole + fraction) * 10n ** BigInt(currencyDigits(to));
  return Math.abs(Number(((BigInt(after) * scale - exact) * 1_000_000n) / scale) / 1_000_000);
}

describe('a cross rate', () => {
  it.each([
    ['1', '1.0812', '1.0812'],
    ['1.0812', '1', '0.9248982612'],
    ['1.0812', '1.0812', '1'],
    ['1.0812', '162.35', '150.1572327'],
    ['162.35', '1.0812', '0.006659685864'],
    ['0.00001', '17000', '1700000000'],
  ])('from %s to %s is %s', (from, to, rate) => {
    expect(crossRate(from, to)).toBe(rate);
  });

  it.each(['', '0', '0.00', '-1', '1e3', '1,5', ' 1', '1.', '.5', 'NaN', '1'.repeat(16)])(
    '%p is not a rate',
    (text) => {
      expect(isRate(text)).toBe(false);
      expect(crossRate('1', text)).toBeUndefined();
    },
  );
});
