import { describe, expect, it } from '@jest/globals';
import { joined, pagesOf, separated, withoutExpired } from './page-bytes.js';

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

  it('lose the offers that have expired, and no groups', () => {
    const offer = (expires: string) => Buffer.from(`{"offer_id":"off_x","expires_at":"${expires}","supplier":"s"}`);
    const [past, now, future] = ['11:59:59.999', '12:00:00.000', '12:00:00.001'].map((time) =>
      offer(`2027-01-01T${time}Z`),
    ) as [Buffer, Buffer, Buffer];
    const group = Buffer.from(`{"offer":${past},"alternatives":[]}`);
    expect(withoutExpired([past, now, future, group], Date.parse('2027-01-01T12:00:00Z'))).toEqual([future, group]);
  });
});
