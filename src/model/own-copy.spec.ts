import { expect, it } from '@jest/globals';
import { heapOf } from '../../test/support/heap.js';
import { trimmedCopy } from './own-copy.js';

it('a text does not keep the blanks in memory that were around it', () => {
  const trimmed = (_: unknown, at: number): string => trimmedCopy(`${' '.repeat(60_000)}the desk of number ${at} `);
  expect(trimmed(undefined, 7)).toBe('the desk of number 7');
  expect(trimmedCopy('Boston')).toBe('Boston');
  // 200 texts have 12 MB.
  expect(heapOf(() => Array.from({ length: 200 }, trimmed))).toBeLessThan(3_000_000);
});
