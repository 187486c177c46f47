import type { Exchange, RequestTrace, TracedCall } from '../metrics/request-trace.js';
import type { TraceLine } from './line-ring.js';
import type { KeepReason } from './tail-sampler.js';
import type { RequestSpan } from './trace-context.js';

/** A completed request whose trace may be kept. Instants are those of performance.now. */
export interface TracedRequest {
  readonly span: RequestSpan;
  readonly method: string;
  /** Path pattern of the route; empty = none. */
  readonly route: string;
  /** Undefined if the caller disconnected before the answer was complete. */
  readonly status: number | undefined;
  /** When it arrived, in epoch milliseconds, which may have a fraction. */
  readonly at: number;
  /** When it arrived. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Undefined if the caller wasn't authenticated. */
  readonly applicationId: string | undefined;
  /** Label of the version that answered. */
  readonly version: string | undefined;
  /** Undefined if the caller chose it: it could hold anything. */
  readonly requestId: string | undefined;
  readonly trace: RequestTrace | undefined;
}

/** Microseconds since the request arrived; null = that point wasn't reached. */
type Instant = number | null;
type Word = string | null;

/** queued, sent, first byte, ended. */
export type ExchangeFields = readonly [Instant, Instant, Instant, Instant];

/** A call as the worker thread receives it. */
export type CallFields = readonly [
  spanId: string,
  joinedTraceId: Word,
  joinedSpanId: Word,
  address: string,
  supplier: string,
  brand: Word,
  operation: string,
  outcome: TracedCall['outcome'],
  cause: Word,
  items: number | null,
  ageSeconds: number | null,
  timeoutMs: number,
  started: Instant,
  ended: Instant,
  exchangeCount: number,
  exchanges: readonly ExchangeFields[],
];

/** A request as the worker thread receives it. */
export type RequestFields = readonly [
  traceId: string,
  spanId: string,
  parentId: Word,
  kept: KeepReason,
  method: string,
  route: string,
  status: number | null,
  /** Microseconds of the epoch. */
  at: number,
  /** Microseconds. */
  duration: number,
  applicationId: Word,
  version: Word,
  requestId: Word,
  admitted: Instant,
  answered: Instant,
  reasons: readonly string[],
  calls: readonly CallFields[],
];

/** A call of many pages or repeats isn't described exchange by exchange. */
const MOST_EXCHANGES = 10;
const NO_CALLS: readonly TracedCall[] = [];

/**
 * A request as one line of JSON, from which the worker thread makes spans: as short as possible, because this is all the
 * work for a kept trace that the thread of the requests does. It contains nothing that callers or suppliers wrote.
 */
export function traceLine(request: TracedRequest, kept: KeepReason): TraceLine {
  const { span, startedAt, trace } = request;
  const calls = trace?.calls ?? NO_CALLS;
  const fields: RequestFields = [
    span.traceId,
    span.spanId,
    span.parentId ?? null,
    kept,
    request.method,
    request.route,
    request.status ?? null,
    Math.round(request.at * 1_000),
    Math.round(request.durationMs * 1_000),
    request.applicationId ?? null,
    request.version ?? null,
    request.requestId ?? null,
    since(startedAt, trace?.admittedAt),
    since(startedAt, trace?.answeredAt),
    trace === undefined || trace.entries.length === 0 ? [] : [...new Set(trace.entries.map(({ reason }) => reason))],
    calls.map((call) => callFields(call, startedAt)),
  ];
  return { text: JSON.stringify(fields), spans: 1 + calls.length };
}

function callFields(call: TracedCall, startedAt: number): CallFields {
  const { span, joined, exchanges } = call;
  return [
    span?.spanId ?? '',
    joined?.traceId ?? null,
    joined?.spanId ?? null,
    span?.address ?? '',
    call.supplier,
    call.brand ?? null,
    call.operation,
    call.outcome,
    call.cause ?? null,
    call.items ?? null,
    call.ageSeconds ?? null,
    Math.round(call.timeoutMs),
    since(startedAt, call.startedAt),
    since(startedAt, call.endedAt),
    exchanges.length,
    (exchanges.length > MOST_EXCHANGES ? exchanges.slice(0, MOST_EXCHANGES) : exchanges).map((exchange) =>
      exchangeFields(exchange, startedAt),
    ),
  ];
}

function exchangeFields({ queuedAt, sentAt, firstByteAt, endedAt }: Exchange, startedAt: number): ExchangeFields {
  return [
    since(startedAt, queuedAt),
    since(startedAt, sentAt),
    since(startedAt, firstByteAt),
    since(startedAt, endedAt),
  ];
}

function since(startedAt: number, instant: number | undefined): Instant {
  return instant === undefined ? null : Math.round((instant - startedAt) * 1_000);
}
