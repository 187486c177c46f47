import { expect, it } from '@jest/globals';
import { changeText } from './change-text.js';

it.each([
  [{ state: 'live' }, { state: 'maintenance', until: '2027' }, 'state: live → maintenance, until: 2027'],
  [{ state: 'live', environment: 'sandbox' }, { environment: 'sandbox' }, 'state: live → removed'],
  [{ url: 'a' }, { url: null }, 'url: a → none'],
  [null, { products: ['a', 'b'] }, 'products: ["a","b"]'],
  [null, 'text', 'text'],
  [null, null, ''],
  [{ a: 1 }, { a: 1 }, ''],
])('%j to %j: %s', (before, after, text) => expect(changeText(before, after)).toBe(text));

it('is bounded, whatever was changed', () => {
  const large = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, 'x'.repeat(1_000)]));
  const text = changeText(null, large);
  expect(text.length).toBeLessThan(1_000);
  expect(text).toMatch(/92 more$/);
});
