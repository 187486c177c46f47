import { SupplierError } from '../../model/supplier.js';

/** No genuine supplier response comes near these limits. */
const MAX_DEPTH = 128;
const MAX_CONTAINERS = 500_000;

/**
 * Smaller bodies aren't checked, to keep ordinary responses fast. They can't do harm: V8 parses JSON without recursion,
 * and an adapter that overflows the stack fails like any other.
 */
const MIN_BYTES = 65_536;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The bit in which `[` and `{`, and `]` and `}`, differ. */
const CASE = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/**
 * Whether a JSON body of at least 64 KiB is nested deeper than 128 levels or has more than 500,000 objects and arrays;
 * false for any other body. Needs one pass over the bytes and about a third of the time of JSON.parse.
 */
export function isUnboundedJson(body: Buffer): boolean {
  if (body.length < MIN_BYTES || !looksLikeJson(body)) return false;
  const end = body.length;
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < end; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === QUOTE) {
      at += 1;
      while (at < end && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
      continue;
    }
    const bracket = byte | CASE;
    if (bracket === OPENING) {
      depth += 1;
      containers += 1;
      if (depth > MAX_DEPTH || containers > MAX_CONTAINERS) return true;
    } else if (bracket === CLOSING) depth -= 1;
  }
  return false;
}

/** Whether the first byte after a byte order mark and white space opens an object or array. */
function looksLikeJson(body: Buffer): boolean {
  let at = body[0] === 0xef ? 3 : 0;
  while (at < body.length && (body[at] ?? 0) <= 0x20) at += 1;
  return ((body[at] ?? 0) | CASE) === OPENING;
}

/** Throws SupplierError `bad_payload` for JSON that exceeds the limits of `isUnboundedJson`. */
export function refuseUnbounded(body: Buffer): void {
  if (isUnboundedJson(body))
    throw new SupplierError('bad_payload', 'the JSON is nested too deeply or has too many objects and arrays');
}
