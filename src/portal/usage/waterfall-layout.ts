import type { CallRecord, RequestRecord } from '../../records/request-record.js';

/** What a stretch of time was spent on: by a call until it leaves, until the first byte, receiving, translating; by the gateway itself. */
export type SegmentKind = 'queue' | 'wait' | 'receive' | 'map' | 'check' | 'own' | 'send';

/** A stretch of time, milliseconds since the request came. */
export interface Segment {
  readonly kind: SegmentKind;
  readonly from: number;
  readonly to: number;
}

/** One line of bars; of a call, one for each HTTP exchange. */
export type Row = readonly Segment[];

/** From 0 to `endMs`; `ticks` are round instants within. */
export interface Scale {
  readonly endMs: number;
  readonly ticks: readonly number[];
}

/** A deadline further away than this part beyond the end of everything is told, not drawn: it would squeeze all that happened. */
const FAR = 1.5;

/** The bars of a call: what ran at once lies below each other. `requestEndMs` ends what has no end of its own. */
export function callRows(call: CallRecord, requestEndMs: number): readonly Row[] {
  const end = call.endMs ?? requestEndMs;
  const lastEnded = Math.max(...call.exchanges.map(([, , , ended]) => ended ?? end));
  if (call.exchanges.length === 0) return [[{ kind: 'map', from: call.startMs, to: end }]];
  let translated = false;
  return call.exchanges.map(([asked, sent, firstByte, ended]) => {
    const row: Segment[] = [{ kind: 'queue', from: asked, to: sent ?? end }];
    if (sent !== null) row.push({ kind: 'wait', from: sent, to: firstByte ?? end });
    if (firstByte !== null) row.push({ kind: 'receive', from: firstByte, to: ended ?? end });
    // Translating begins when the last part is there.
    if (ended === lastEnded && !translated) {
      translated = true;
      row.push({ kind: 'map', from: ended, to: end });
    }
    return row;
  });
}

/** The gateway's own time: checking, working while no call is open, sending. */
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

/** Milliseconds that the gateway itself needed. */
export function gatewayMs(record: RequestRecord): number {
  return gatewayRow(record).reduce((sum, { from, to }) => sum + (to - from), 0);
}

/** Long enough for the whole request, and for the deadlines that are near. */
export function scaleOf({ durationMs, trace: { calls } }: RequestRecord): Scale {
  const last = Math.max(1, durationMs, ...calls.map(({ endMs = 0 }) => endMs));
  const near = calls.map(deadlineOf).filter((deadline) => deadline <= last * FAR);
  const endMs = Math.max(last, ...near) * 1.02;
  const step = niceStep(endMs / 5);
  // Tenths of steps are no exact binary numbers.
  const ticks = Array.from({ length: Math.floor(endMs / step) + 1 }, (_, index) => Number((index * step).toFixed(3)));
  return { endMs, ticks };
}

/** When a call's time is up, milliseconds since the request came. */
export function deadlineOf({ startMs, timeoutMs }: CallRecord): number {
  return startMs + timeoutMs;
}

/** The least of 1, 2, 5, 10, 20, … that is not below `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}
