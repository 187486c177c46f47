import type { CallRecord, RequestRecord } from '../../records/request-record.js';

/** What a span of time was spent on: queued, waiting for the first byte, receiving, parsing, or the gateway's own work. */
export type SegmentKind = 'queue' | 'wait' | 'receive' | 'map' | 'check' | 'own' | 'send';

/** A span of time, in milliseconds since the request was received. */
export interface Segment {
  readonly kind: SegmentKind;
  readonly from: number;
  readonly to: number;
}

/** One line of bars; a call has one per HTTP exchange. */
export type Row = readonly Segment[];

/** From 0 to `endMs`, with round numbers as `ticks`. */
export interface Scale {
  readonly endMs: number;
  readonly ticks: readonly number[];
}

/** A deadline later than this multiple of the end is only mentioned, because drawing it would squeeze the bars. */
const FAR = 1.5;

/** The bars of a call, with concurrent exchanges below each other. Unfinished ones end at `requestEndMs`. */
export function callRows(call: CallRecord, requestEndMs: number): readonly Row[] {
  const end = call.endMs ?? requestEndMs;
  const lastEnded = Math.max(...call.exchanges.map(([, , , ended]) => ended ?? end));
  if (call.exchanges.length === 0) return [[{ kind: 'map', from: call.startMs, to: end }]];
  let parsed = false;
  return call.exchanges.map(([queued, sent, firstByte, ended]) => {
    const row: Segment[] = [{ kind: 'queue', from: queued, to: sent ?? end }];
    if (sent !== null) row.push({ kind: 'wait', from: sent, to: firstByte ?? end });
    if (firstByte !== null) row.push({ kind: 'receive', from: firstByte, to: ended ?? end });
    // Parsing begins when the last response is complete.
    if (ended === lastEnded && !parsed) {
      parsed = true;
      row.push({ kind: 'map', from: ended, to: end });
    }
    return row;
  });
}

/** The gateway's own time: checking, working while no call is open, and sending. */
export function gatewayRow({ durationMs, trace }: RequestRecord): Row {
  const { admittedMs, answeredMs, calls } = trace;
  if (admittedMs === undefined) return [{ kind: 'check', from: 0, to: durationMs }];
  const worked = Math.min(answeredMs ?? durationMs, durationMs);
  const row: Segment[] = [{ kind: 'check', from: 0, to: admittedMs }];
  let at = admittedMs;
  for (const { startMs, endMs = worked } of [...calls].sort((one, two) => one.startMs - two.startMs)) {
    if (startMs > at) row.push({ kind: 'own', from: at, to: Math.min(startMs, worked) });
    at = Math.max(at, endMs);
  }
  if (worked > at) row.push({ kind: 'own', from: at, to: worked });
  if (answeredMs !== undefined && durationMs > worked) row.push({ kind: 'send', from: worked, to: durationMs });
  return row;
}

/** The gateway's own time in milliseconds. */
export function gatewayMs(record: RequestRecord): number {
  return gatewayRow(record).reduce((sum, { from, to }) => sum + (to - from), 0);
}

/** Long enough for the complete request and near deadlines. */
export function scaleOf({ durationMs, trace: { calls } }: RequestRecord): Scale {
  const last = Math.max(1, durationMs, ...calls.map(({ endMs = 0 }) => endMs));
  const near = calls.map(deadlineOf).filter((deadline) => deadline <= last * FAR);
  const endMs = Math.max(last, ...near) * 1.02;
  const step = niceStep(endMs / 5);
  // Decimal fractions are not exact in binary.
  const ticks = Array.from({ length: Math.floor(endMs / step) + 1 }, (_, index) => Number((index * step).toFixed(3)));
  return { endMs, ticks };
}

/** A call's deadline, in milliseconds since the request was received. */
export function deadlineOf({ startMs, timeoutMs }: CallRecord): number {
  return startMs + timeoutMs;
}

/** The smallest of 1, 2, 5, 10, 20, … that is at least `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}
