import { describe, expect, it } from '@jest/globals';
import { joined, pagesOf, separated } from './page-bytes.js';

const items = (count: number) =>
  Array.from({ length: count }, (_, index) => Buffer.from(JSON.stringify({ index, text: 'a\nb\u2028 "ü"' })));

describe('pages', () => {
  it.each([
    [0, [0]],
    [1, [1]],
    [10, [10]],
    [11, [10, 1]],
    [30, [10, 10, 10]],
  ])('%i offers in pages of 10: %j', (count, lengths) => {
    const pages = pagesOf(items(count), 10);
    expect(pages.map((page) => page.length)).toEqual(lengths);
    expect(pages.flat()).toEqual(items(count));
  });

  it.each([0, 1, 3])('%i items are joined and separated byte by byte', (count) => {
    expect(separated(joined(items(count)))).toEqual(items(count));
  });
});
