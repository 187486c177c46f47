import { randomFillSync } from 'node:crypto';
import type { CallSpan } from '../metrics/request-trace.js';
import { holdsCardNumber } from '../privacy/card-numbers.js';

/** The span of a request, which is the parent of those of its calls. Ids are lowercase hexadecimal. */
export interface RequestSpan {
  /** 32 digits: the caller's, or a new one. */
  readonly traceId: string;
  /** 16 digits. */
  readonly spanId: string;
  /** The caller's span; undefined if the trace begins here. */
  readonly parentId: string | undefined;
  /** The caller's sampled flag; false if the trace begins here. */
  readonly isSampled: boolean;
}

/** No later version may be shorter; this bounds what it may append. */
const LONGEST = 512;
const VERSION_00_LENGTH = 55;
/** The fields of version 00, which begin the value of every version. Version ff and ids of zeros are invalid. */
const FIELDS = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/;
const SAMPLED = 1;

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;
/** Asking the system for random bytes once per id costs more than everything else here. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

/**
 * The span of a request with this `traceparent` (W3C Trace Context, level 1). A value that isn't well-formed, or whose
 * ids could be read as a card number, is ignored: the trace begins here.
 */
export function requestSpan(traceparent: string | string[] | undefined): RequestSpan {
  const spanId = randomHex(SPAN_BYTES);
  const [, version, traceId, parentId, flags] =
    typeof traceparent === 'string' && traceparent.length <= LONGEST ? (FIELDS.exec(traceparent) ?? []) : [];
  const isValid =
    traceId !== undefined &&
    parentId !== undefined &&
    (version !== '00' || traceparent?.length === VERSION_00_LENGTH) &&
    !isCard(traceId) &&
    !isCard(parentId);
  if (!isValid) return { traceId: randomHex(TRACE_BYTES), spanId, parentId: undefined, isSampled: false };
  return { traceId, spanId, parentId, isSampled: (Number.parseInt(flags ?? '00', 16) & SAMPLED) !== 0 };
}

/** The span of a call that a request makes to the supplier at `address`. */
export function callSpan({ traceId, isSampled }: RequestSpan, address: string): CallSpan {
  return { traceId, spanId: randomHex(SPAN_BYTES), isSampled, address };
}

/**
 * The `traceparent` of a call. Whether a trace is kept is decided when its request is complete, so the caller's flag is
 * passed on unchanged, and is 0 in a trace that begins here.
 */
export function traceparentOf({ traceId, spanId, isSampled }: CallSpan): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** Other ids have letters. */
function isCard(id: string): boolean {
  return !/[a-f]/.test(id) && holdsCardNumber(id);
}

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}
