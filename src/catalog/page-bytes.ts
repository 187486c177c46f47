import { concatenated, type JsonBytes } from '../representations/json-bytes.js';

const LINE = 10;
const LINE_END = Buffer.from([LINE]);

/** Divides offers into pages of `size`; without offers, one empty page. */
export function pagesOf(items: readonly JsonBytes[], size: number): readonly (readonly JsonBytes[])[] {
  const count = Math.max(1, Math.ceil(items.length / size));
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** One line per item. The items are JSON on one line: JSON.stringify escapes line ends in texts. */
export function joined(items: readonly JsonBytes[]): Buffer {
  return concatenated(items.flatMap((item) => [item, LINE_END]));
}

/** The items of what `joined` returned, without copying them. */
export function separated(bytes: Buffer): readonly Buffer[] {
  const items: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE, from);
    items.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return items;
}
