import type { CallFields, ExchangeFields, RequestFields } from './trace-line.js';

/** An attribute in the JSON encoding of OTLP. Whole numbers are texts, because they have 64 bits. */
export interface Attribute {
  readonly key: string;
  readonly value:
    | { readonly stringValue: string }
    | { readonly intValue: string }
    | { readonly boolValue: boolean }
    | { readonly arrayValue: { readonly values: readonly { readonly stringValue: string }[] } };
}

interface SpanEvent {
  readonly timeUnixNano: string;
  readonly name: string;
}

/** A span in the JSON encoding of OTLP (opentelemetry/proto/trace/v1/trace.proto). */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events?: readonly SpanEvent[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code: number };
}

const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const ERROR = { code: 2 };
/** Others are `_OTHER` (semantic conventions for HTTP). */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

type Value = string | number | boolean | readonly string[] | null | undefined;

/** Attributes in the order of `values`, without those that are null, undefined or an empty list. */
export function attributes(values: Readonly<Record<string, Value>>): Attribute[] {
  return Object.entries(values).flatMap(([key, value]): Attribute[] => {
    if (value === null || value === undefined) return [];
    if (typeof value === 'string') return [{ key, value: { stringValue: value } }];
    if (typeof value === 'number') return [{ key, value: { intValue: String(value) } }];
    if (typeof value === 'boolean') return [{ key, value: { boolValue: value } }];
    if (value.length === 0) return [];
    return [{ key, value: { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } } }];
  });
}

/** The spans of a request: its own, then one for each of its calls. The attributes are listed in docs/tracing.md. */
export function spansOf(request: RequestFields): OtlpSpan[] {
  const [traceId, spanId, parentId, kept, given, route, status, at, duration] = request;
  const [, , , , , , , , , application, version, requestId, admitted, answered, reasons, calls] = request;
  const nano = (micros: number): string => `${at + micros}000`;
  const method = METHODS.has(given) ? given : '_OTHER';
  const isFailed = status !== null && status >= 500;
  const own: OtlpSpan = {
    traceId,
    spanId,
    ...(parentId === null ? {} : { parentSpanId: parentId }),
    name: route === '' ? method : `${method} ${route}`,
    kind: SERVER,
    startTimeUnixNano: nano(0),
    endTimeUnixNano: nano(duration),
    attributes: attributes({
      'http.request.method': method,
      'http.route': route === '' ? null : route,
      'http.response.status_code': status,
      'error.type': isFailed ? String(status) : status === null ? 'client_disconnected' : null,
      'forecourt.application': application,
      'forecourt.version': version,
      'forecourt.request_id': requestId,
      'forecourt.reasons': reasons,
      'forecourt.kept': kept,
    }),
    events: eventsOf(nano, [
      ['admitted', admitted],
      ['answered', answered],
    ]),
    ...(isFailed ? { status: ERROR } : {}),
  };
  return [own, ...calls.map((call) => callSpan(call, own, duration, nano))];
}

function callSpan(
  call: CallFields,
  { traceId, spanId: parentSpanId }: OtlpSpan,
  duration: number,
  nano: (micros: number) => string,
): OtlpSpan {
  const [spanId, joinedTraceId, joinedSpanId, address, supplier, brand, operation, outcome] = call;
  const [, , , , , , , , cause, items, ageSeconds, timeoutMs, started, ended, exchangeCount, exchanges] = call;
  const isCalled = ageSeconds === null;
  const isShared = joinedTraceId !== null && joinedSpanId !== null;
  const start = started ?? 0;
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  return {
    traceId,
    spanId,
    parentSpanId,
    name: `${operation} ${supplier}`,
    kind: isCalled ? CLIENT : INTERNAL,
    startTimeUnixNano: nano(start),
    // A call that the request didn't wait for ends with it.
    endTimeUnixNano: nano(Math.max(start, ended ?? duration)),
    attributes: attributes({
      'server.address': isCalled ? host : null,
      'server.port': isCalled && port !== undefined ? Number(port) : null,
      'error.type': cause,
      'forecourt.supplier': supplier,
      'forecourt.brand': brand,
      'forecourt.operation': operation,
      'forecourt.outcome': outcome,
      'forecourt.cause': cause,
      'forecourt.items': items,
      'forecourt.shared': isShared ? true : null,
      'forecourt.age_seconds': ageSeconds,
      'forecourt.timeout_ms': timeoutMs,
      'forecourt.exchanges': exchangeCount,
    }),
    events: exchanges.flatMap((exchange) => exchangeEvents(exchange, nano)),
    ...(isShared ? { links: [{ traceId: joinedTraceId, spanId: joinedSpanId }] } : {}),
    ...(outcome === 'failed' ? { status: ERROR } : {}),
  };
}

function exchangeEvents(
  [queued, sent, firstByte, ended]: ExchangeFields,
  nano: (micros: number) => string,
): SpanEvent[] {
  return eventsOf(nano, [
    ['queued', queued],
    ['sent', sent],
    ['first_byte', firstByte],
    ['received', ended],
  ]);
}

function eventsOf(
  nano: (micros: number) => string,
  events: readonly (readonly [name: string, micros: number | null])[],
): SpanEvent[] {
  return events.flatMap(([name, micros]) => (micros === null ? [] : [{ timeUnixNano: nano(micros), name }]));
}
