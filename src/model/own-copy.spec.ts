import { expect, it } from '@jest/globals';
import { heapOf } from '../../test/support/heap.js';
import { ownCopy, trimmedCopy, withOwnTexts } from './own-copy.js';

const BLANKS = ' '.repeat(60_000);

it('a text does not keep the blanks in memory that were around it', () => {
  const trimmed = (_: unknown, at: number): string => trimmedCopy(`${BLANKS}the desk of number ${at} `);
  expect(trimmed(undefined, 7)).toBe('the desk of number 7');
  expect(trimmedCopy('Boston')).toBe('Boston');
  // 200 texts have 12 MB.
  expect(heapOf(() => Array.from({ length: 200 }, trimmed))).toBeLessThan(3_000_000);
});

it.each(['Boston', 'the desk in Köln', 'the desk in 東京 🚗', 'half of an emoji: \ud83d'])(
  'a copy is the same text: %j',
  (text) => {
    expect(ownCopy(text)).toBe(text);
    expect(trimmedCopy(`${BLANKS}${text}`)).toBe(text);
  },
);

it('a value is copied with its texts, which do not keep what they were cut from, and without what has none', () => {
  const [place, bytes] = [{ code: 'BOS', hours: [{ open: '08:00' }], latitude: 42 }, new Map([['a', BLANKS]])];
  const madeOf = (_: unknown, at: number) => {
    const text = `${BLANKS}the desk of number ${at}`.trim();
    return { name: text, address: { lines: [text, 'Boston'] }, place, bytes, phone: undefined, country: null };
  };
  const value = madeOf(undefined, 7);
  const kept = withOwnTexts(value);
  expect(kept).toEqual(value);
  expect([kept.place, kept.bytes]).toEqual([place, bytes]);
  expect([kept.place === place, kept.bytes === bytes]).toEqual([true, true]);
  // 200 texts have 12 MB.
  const many = () => Array.from({ length: 200 }, (_, at) => withOwnTexts(madeOf(_, at)));
  expect(heapOf(many)).toBeLessThan(3_000_000);
});
