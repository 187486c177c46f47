import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { threadMs } from '../../test/support/thread-time.js';
import { holdsCardNumber, maskCardNumbers } from './card-numbers.js';
import { passesLuhn } from './card-schemes.js';

interface Spelling {
  readonly name: string;
  readonly text: string;
}

const { card_numbers: cardNumbers, others } = JSON.parse(
  readFileSync(new URL('./fixtures/card-spellings.json', import.meta.url), 'utf8'),
) as Record<'card_numbers' | 'others', readonly Spelling[]>;

describe('a card number', () => {
  it('is known in more than sixty spellings, beside other numbers that look like one', () => {
    expect([cardNumbers.length > 60, others.length > 50]).toEqual([true, true]);
  });

  it.each(cardNumbers)('is found: $name', ({ text }) => {
    expect(holdsCardNumber(text)).toBe(true);
    expect(holdsCardNumber(maskCardNumbers(text))).toBe(false);
  });

  it.each(others)('is not: $name', ({ text }) => {
    expect(holdsCardNumber(text)).toBe(false);
    expect(maskCardNumbers(text)).toBe(text);
  });

  it('is found in the digits of every script', () => {
    const systems = Intl.supportedValuesOf('numberingSystem').flatMap((system) => {
      const format = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false });
      const digits = Array.from({ length: 10 }, (_, digit) => format.format(digit));
      return digits.every((digit) => /^\p{Nd}$/u.test(digit)) ? [{ system, digits }] : [];
    });
    expect(systems.length).toBeGreaterThan(30);
    const spelled = (number: string, digits: readonly string[]): string =>
      Array.from(number, (digit) => digits[Number(digit)]).join('');
    const missed = systems.filter(({ digits }) => !holdsCardNumber(spelled('4929756801342673', digits)));
    const mistaken = systems.filter(({ digits }) => holdsCardNumber(spelled('4929756801342674', digits)));
    expect([missed.map(({ system }) => system), mistaken.map(({ system }) => system)]).toEqual([[], []]);
  });

  it('is found with any one character between its groups, unless it is a visible letter or a digit', () => {
    const missed: string[] = [];
    for (let codePoint = 0; codePoint <= 0x2fff; codePoint += 1) {
      const character = String.fromCodePoint(codePoint);
      if (/\p{N}/u.test(character)) continue;
      const isLetter = /(?!\p{Default_Ignorable_Code_Point})\p{L}/u.test(character);
      const isFound = holdsCardNumber(['5200', '8282', '8282', '8210'].join(character));
      if (isFound === isLetter) missed.push(codePoint.toString(16));
    }
    expect(missed).toEqual([]);
  });

  it.each([
    ['in one piece', '', 4_000],
    ['in groups', ' ', 4_000],
  ])('a long text hides none, wherever it is: %s', (_case, separator, length) => {
    const card = ['3566', '0020', '2036', '0505'].join(separator);
    for (const at of [0, 1, 2_000, length - 1])
      expect(holdsCardNumber(`${'a '.repeat(at)}${card}${' b'.repeat(length - at)}`)).toBe(true);
  });

  it('is masked alone, all of them', () => {
    expect(maskCardNumbers('card 4111 1111 1111 1111 12/29 of A. Sample, then 5105-1051-0510-5100.')).toBe(
      'card [card number] 12/29 of A. Sample, then [card number].',
    );
    expect(maskCardNumbers('\u{1d7d2}111 1111 1111 111\u{1d7cf}!')).toBe('[card number]!');
  });
});

describe('telephone numbers and references', () => {
  /** The same numbers in every run. */
  function* numbers(count: number, length: number): Generator<string> {
    let state = 42;
    for (let i = 0; i < count; i += 1) {
      let text = '';
      while (text.length < length) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        text += String(state >>> 8).padStart(8, '0');
      }
      yield text.slice(0, length);
    }
  }

  it.each([
    ['German mobile numbers', 7, (digits: string) => `+49 1512 ${digits}`],
    ['numbers of 12 digits after a plus sign', 12, (digits: string) => `+${digits}`],
    ['numbers of 13 digits after a plus sign', 13, (digits: string) => `+${digits}`],
    ['epoch milliseconds', 9, (digits: string) => `order-1795${digits}`],
    ['snowflake ids', 18, (digits: string) => `1${digits}`],
    ["driver's licenses of a letter and 14 digits", 14, (digits: string) => `A${digits}`],
  ])('%s are never mistaken for a card number', (_case, length, form) => {
    expect([...numbers(2_000, length)].map(form).filter(holdsCardNumber)).toEqual([]);
  });

  it('of 16 to 20 random digits, at most 9 in 100 are mistaken for a card number; of 12, none in 1,000', () => {
    for (const length of [16, 17, 18, 19, 20])
      expect([...numbers(2_000, length)].filter(holdsCardNumber).length).toBeLessThan(180);
    expect([...numbers(2_000, 12)].filter(holdsCardNumber).length).toBeLessThanOrEqual(2);
  });
});

describe('the search', () => {
  const KILOBYTES_64 = 65_536;
  const fill = (pattern: string, length: number): string => pattern.repeat(length / pattern.length);

  /** The average of as many runs as take long enough to be measured, in milliseconds of processor time. */
  function timeOf(text: string): number {
    const startedAt = threadMs();
    for (let runs = 1; ; runs += 1) {
      holdsCardNumber(text);
      const took = threadMs() - startedAt;
      if (took > 40) return took / runs;
    }
  }

  it.each([
    ['one digit', '1'],
    ['the first digit of a card', '4'],
    ['almost card numbers', '4111111111111112'],
    ['single digits', '6 '],
    ['digits and invisible characters', '4\u200b'],
    ['hexadecimal digits', '4a'],
    ['dates', '2027-05-01 01.05.2027 '.padEnd(32)],
    ['UUIDs', '41111111-1111-4111-8111-111111111111'.padEnd(64)],
  ])('takes a few milliseconds for 64 KB, in proportion to its length: %s', (_case, pattern) => {
    const [half, whole] = [fill(pattern, KILOBYTES_64 / 2), fill(pattern, KILOBYTES_64)];
    holdsCardNumber(whole);
    expect(timeOf(whole)).toBeLessThan(25);
    // A quadratic search takes four times as long for twice the text, whenever it is measured.
    let ratio = Number.POSITIVE_INFINITY;
    for (let rounds = 0; rounds < 3 && ratio >= 3; rounds += 1) ratio = timeOf(whole) / timeOf(half);
    expect(ratio).toBeLessThan(3);
  });

  it('takes little longer where numbers of six lengths may begin at each digit', () => {
    const least = (pattern: string): number => {
      const text = fill(pattern, KILOBYTES_64);
      return Math.min(...Array.from({ length: 5 }, () => timeOf(text)));
    };
    // Measured: 1.5; when the digits of each number were added up, 3.5.
    expect(least('3 6 ') / least('1 2 ')).toBeLessThan(2.5);
  });

  it('agrees with the plain check of every number of 16 digits', () => {
    const numbers = Array.from({ length: 20_000 }, (_, i) => `4${String(i).padStart(15, '0')}`);
    const wrong = numbers.filter((text) => holdsCardNumber(text) !== passesLuhn(Array.from(text, Number), 0, 16));
    expect(wrong).toEqual([]);
  });
});
