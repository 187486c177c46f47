import type { EndedRequest } from '../http/request-recorder.js';
import type { Exchange, RequestTrace, TracedCall, TracedEntry, TracedWarnings } from '../metrics/request-trace.js';
import type { RequestMarks } from './request-marks.js';

export type { TracedEntry };

/** One HTTP exchange with a supplier, in milliseconds since the request was received; null = that point wasn't reached. */
export type ExchangeRecord = readonly [
  queued: number,
  sent: number | null,
  firstByte: number | null,
  ended: number | null,
];

/**
 * One call to a supplier, as one request saw it. Times are milliseconds since the request was received, with one
 * decimal; those of a shared call may be negative.
 */
export interface CallRecord {
  readonly supplier: string;
  readonly brand?: string;
  readonly operation: string;
  readonly outcome: TracedCall['outcome'];
  /** Why it failed: a cause or refusal from docs/errors.md. */
  readonly cause?: string;
  readonly items?: number;
  readonly shared?: true;
  /** The answer came from memory and was this old, in whole seconds; absent = the supplier was called. */
  readonly ageSeconds?: number;
  readonly timeoutMs: number;
  readonly startMs: number;
  /** Absent = it hadn't finished when the request continued without it. */
  readonly endMs?: number;
  /** In the order of `queued`; empty = none was started. */
  readonly exchanges: readonly ExchangeRecord[];
  /** How often each kind of warning occurred in its answers; absent = never. */
  readonly warnings?: Readonly<Record<string, number>>;
}

/**
 * What happened while a request was processed, for its explain page. It contains no personal data, no values sent by
 * the caller, and no supplier text.
 */
export interface TraceRecord {
  /** The version that served it. */
  readonly version?: string;
  /** X-Sandbox-Applied. */
  readonly scenario?: string;
  /** Answered with the stored response of its Idempotency-Key. */
  readonly replayed?: true;
  /** Time budget of the request, in milliseconds since it was received. */
  readonly budgetMs: number;
  /** When token, limits and version were checked. */
  readonly admittedMs?: number;
  /** When the response had been merged and serialized. */
  readonly answeredMs?: number;
  readonly calls: readonly CallRecord[];
  /** Mark of the reservation that it created, read or changed. */
  readonly reservation?: string;
  /** Ids of suppliers that weren't called because they are in maintenance. */
  readonly skipped: readonly string[];
  /** The entries of the status container, without their texts. */
  readonly entries: readonly TracedEntry[];
  /** What compares it with other requests of its application; absent outside the sandbox. */
  readonly marks?: RequestMarks;
}

/** A single request as it is kept. */
export interface RequestRecord {
  readonly applicationId: string;
  /** When it was received, epoch milliseconds. */
  readonly at: number;
  readonly requestId: string;
  /** operationId of the OpenAPI document. */
  readonly operation: string;
  readonly status: number;
  /** In milliseconds, rounded. */
  readonly durationMs: number;
  /** Id of the reservation that it created, read or changed; it isn't stored. Undefined = none. */
  readonly reservationId?: string | undefined;
  readonly trace: TraceRecord;
}

/**
 * The record of a request. Only names for which `isField` returns true are kept; other names sent by a caller are
 * dropped. `marks` are those of what the caller sent.
 */
export function recordOf(
  request: EndedRequest,
  operation: string,
  isField: (word: string) => boolean,
  marks?: RequestMarks,
): RequestRecord {
  const { applicationId, at, requestId, status, durationMs } = request;
  return {
    applicationId,
    at,
    requestId,
    operation,
    status,
    durationMs: Math.round(durationMs),
    reservationId: request.trace?.reservationId,
    trace: { ...traceRecord(request, isField), ...(marks === undefined ? {} : { marks }) },
  };
}

function traceRecord(
  { trace, startedAt, budgetMs, version, scenario, isReplay }: EndedRequest,
  isField: (word: string) => boolean,
): TraceRecord {
  const since = (instant: number): number => Math.round((instant - startedAt) * 10) / 10;
  const {
    calls = [],
    skipped = [],
    entries = [],
    admittedAt,
    answeredAt,
    reservation,
  }: Partial<RequestTrace> = trace ?? {};
  return {
    ...(version === undefined ? {} : { version }),
    ...(scenario === undefined ? {} : { scenario }),
    ...(isReplay ? { replayed: true } : {}),
    budgetMs: Math.round(budgetMs),
    ...(admittedAt === undefined ? {} : { admittedMs: since(admittedAt) }),
    ...(answeredAt === undefined ? {} : { answeredMs: since(answeredAt) }),
    calls: calls.map((call) => callRecord(call, since)),
    ...(reservation === undefined ? {} : { reservation }),
    skipped,
    entries: entries.map((entry) => entryRecord(entry, isField)),
  };
}

function callRecord(call: TracedCall, since: (instant: number) => number): CallRecord {
  const { supplier, brand, operation, outcome, cause, items, shared, ageSeconds, timeoutMs, startedAt, endedAt } = call;
  const warnings = call.warnings.list;
  return {
    supplier,
    ...(brand === undefined ? {} : { brand }),
    operation,
    outcome,
    ...(cause === undefined ? {} : { cause }),
    ...(items === undefined ? {} : { items }),
    ...(shared ? { shared } : {}),
    ...(ageSeconds === undefined ? {} : { ageSeconds }),
    timeoutMs: Math.round(timeoutMs),
    startMs: since(startedAt),
    ...(endedAt === undefined ? {} : { endMs: since(endedAt) }),
    exchanges: call.exchanges.map((exchange) => exchangeRecord(exchange, since)),
    ...(warnings.length === 0 ? {} : { warnings: countsOf(warnings) }),
  };
}

/** One number per kind, of which there are few. */
function countsOf(warnings: TracedWarnings['list']): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, times } of warnings) counts[kind] = (counts[kind] ?? 0) + times;
  return counts;
}

function exchangeRecord(
  { queuedAt, sentAt, firstByteAt, endedAt }: Exchange,
  since: (instant: number) => number,
): ExchangeRecord {
  const orNull = (instant: number | undefined): number | null => (instant === undefined ? null : since(instant));
  return [since(queuedAt), orNull(sentAt), orNull(firstByteAt), orNull(endedAt)];
}

function entryRecord(
  { reason, supplier, brand, cause, field }: TracedEntry,
  isField: (word: string) => boolean,
): TracedEntry {
  const isKnown = field?.split('.').every((word) => /^\d{1,3}$/.test(word) || isField(word)) ?? false;
  return {
    reason,
    ...(supplier === undefined ? {} : { supplier }),
    ...(brand === undefined ? {} : { brand }),
    ...(cause === undefined ? {} : { cause }),
    ...(isKnown ? { field } : {}),
  };
}
