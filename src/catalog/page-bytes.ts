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

const EXPIRES = '"expires_at":"';
const OFFER_BEGIN = Buffer.from('{"offer_id"');
const INSTANT = '2027-01-01T00:00:00.000Z'.length;

/**
 * The offers that haven't expired at `now` (epoch milliseconds). Groups stay complete: each of their offers has its own
 * `expires_at`.
 */
export function withoutExpired(items: readonly Buffer[], now: number): readonly Buffer[] {
  const instant = new Date(now).toISOString();
  return items.filter((item) => {
    if (!item.subarray(0, OFFER_BEGIN.length).equals(OFFER_BEGIN)) return true;
    const at = item.indexOf(EXPIRES) + EXPIRES.length;
    return item.toString('latin1', at, at + INSTANT) > instant;
  });
}
