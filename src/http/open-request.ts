import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.module.js';
import { RequestContext } from '../context/request-context.js';
import { ApiError } from '../status/api-error.js';
import { throttled } from '../status/throttled.js';
import type { RequestSpan } from '../tracing/trace-context.js';
import type { Tracer } from '../tracing/tracer.js';
import type { AdmittedMessage } from './admission/admitting-server.js';
import { sendError } from './error-answer.js';
import { isOneTooMany, MAX_UNANSWERED } from './pipelining.js';
import { requestIdOf } from './request-id.js';
import { CALLER_LEFT, type RequestRecorder, type SentRequest } from './request-recorder.js';
import { EMAIL_IN_URL, holdsEmail, sensitiveParameters } from './sensitive-url.js';
import { disconnectStalled } from './stalled.js';
import { noSuchVersion, type RoutedMessage, type ServedVersion } from './version-router.js';

/** `draining` is true during shutdown: every answer closes its connection and /health/ready reports "not ready". */
export const lifecycle = { draining: false };

/** A request with the members that hooks and guards add. */
export type ContextRequest = FastifyRequest & {
  context?: RequestContext;
  served?: ServedVersion;
  /** Refused because an operator announced maintenance: not a failure of the gateway. */
  isMaintenance?: true;
};

/** What identifies a request in log lines; `traceId` is undefined if it isn't traced. */
export function idsOf({ context }: ContextRequest): { readonly requestId?: string; readonly traceId?: string } {
  return {
    ...(context === undefined ? {} : { requestId: context.id }),
    ...(context?.span === undefined ? {} : { traceId: context.span.traceId }),
  };
}

const CLOSE = { connection: 'close' };
/** Connections that are closing because of a request, with the reason. */
const misframed = new WeakMap<Socket, ApiError>();
/** A name, IPv4 or IPv6 address with an optional port (RFC 9110 §7.2); may be empty if the target has no authority. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Time that a client has to read an answer that was ready when the budget expired; then the connection is closed. */
const TAKE_ANSWER_MS = 20_000;

/** Creates the context of a request. Returns an error to send if the URL or Host header is not acceptable. */
export function openRequest(
  request: ContextRequest,
  reply: FastifyReply,
  config: Config,
  recorder: RequestRecorder,
  tracer: Tracer,
): ApiError | undefined {
  const id = requestIdOf(request.headers);
  const span = tracer.begin(request.headers.traceparent);
  const context = new RequestContext(id, Date.now(), true, reply, undefined, span);
  request.context = context;
  reply.header('x-request-id', id);
  if (span) reply.header('x-trace-id', span.traceId);
  if (lifecycle.draining) reply.header('connection', 'close');
  const { waitedMs = 0 } = request.raw as AdmittedMessage;
  context.startBudget(Math.max(1, config.http.requestBudgetMs - waitedMs), () => budgetOver(context, reply));
  // A tool of an agent calls an operation in this process: there is no connection.
  if (!('isLightMyRequest' in reply.raw)) disconnectStalled(reply.raw, config.http.stallMs);
  reply.raw.once('close', () => {
    context.end();
    if (!reply.raw.writableFinished) context.cancel('client_disconnected');
    record(request, context, reply, recorder);
    if (span) trace(request, context, reply, span, tracer);
  });
  return framingProblem(request) ?? urlProblem(request, config.http.urlLimitCharacters);
}

/** Makes the answer to this request close its connection and rejects any requests that follow on it. */
export function endConnection(request: FastifyRequest): void {
  misframed.set(request.raw.socket, ApiError.of('invalid_request', 'The connection is closing.', { headers: CLOSE }));
}

function record(
  request: ContextRequest,
  context: RequestContext,
  reply: FastifyReply,
  recorder: RequestRecorder,
): void {
  const caller = context.caller;
  if (!caller) return;
  const scenario = reply.getHeader('x-sandbox-applied');
  recorder.ended({
    applicationId: caller.applicationId,
    accountId: caller.accountId,
    requestId: context.id,
    method: request.method,
    route: request.routeOptions.url ?? '',
    status: reply.raw.writableFinished ? reply.statusCode : CALLER_LEFT,
    at: context.startedAt,
    startedAt: context.clockedAt,
    durationMs: performance.now() - context.clockedAt,
    budgetMs: context.budgetMs,
    version: request.served?.label,
    scenario: typeof scenario === 'string' ? scenario : undefined,
    isReplay: reply.hasHeader('idempotent-replayed'),
    trace: context.trace,
    sent: recorder.wantsSent ? sentRequest(request, context, reply) : undefined,
    isExpired: context.applicationId === undefined,
  });
}

function sentRequest(request: ContextRequest, context: RequestContext, reply: FastifyReply): SentRequest {
  const header = (name: string): string | undefined => reply.getHeader(name)?.toString();
  const retryAfter = Number(header('retry-after') ?? Number.NaN);
  const key = request.headers['idempotency-key'];
  const { reservation_id: reservation, search_id: search } = (request.params ?? {}) as Record<string, string>;
  return {
    url: request.originalUrl,
    body: request.body,
    key: Array.isArray(key) ? key.join(',') : key,
    tokenDigest: context.tokenDigest,
    subject: reservation ?? search ?? header('location')?.split('/').at(-1),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    retryWith: header('idempotent-retry'),
  };
}

function trace(
  request: ContextRequest,
  context: RequestContext,
  reply: FastifyReply,
  span: RequestSpan,
  tracer: Tracer,
): void {
  const { waitedMs = 0 } = request.raw as AdmittedMessage;
  tracer.ended({
    span,
    method: request.method,
    route: request.routeOptions.url ?? '',
    status: reply.raw.writableFinished ? reply.statusCode : undefined,
    at: context.startedAt - waitedMs,
    startedAt: context.clockedAt - waitedMs,
    durationMs: performance.now() - context.clockedAt + waitedMs,
    applicationId: context.applicationId,
    version: request.served?.label,
    requestId: context.id === request.headers['x-request-id'] ? undefined : context.id,
    trace: context.trace,
  });
}

/**
 * Guards against request smuggling and endless pipelining: rejects a badly framed request, or one too many, and every
 * later one on its connection.
 */
function framingProblem(request: ContextRequest): ApiError | undefined {
  const { socket } = request.raw;
  const problem = misframed.get(socket) ?? pipelineProblem(request.raw) ?? hostProblem(request);
  if (problem) misframed.set(socket, problem);
  return problem;
}

function pipelineProblem(request: IncomingMessage): ApiError | undefined {
  if (!isOneTooMany(request)) return undefined;
  const why = `A connection may have ${MAX_UNANSWERED} unanswered requests.`;
  return throttled(1, why, 'Read the responses before you send more.', CLOSE);
}

function hostProblem(request: ContextRequest): ApiError | undefined {
  const { rawHeaders, httpVersion } = request.raw;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return ApiError.of('invalid_request', 'Use HTTP/1.1 or HTTP/1.0.', { headers: CLOSE });
  }
  if (httpVersion === '1.0' && request.headers['transfer-encoding'] !== undefined) {
    return ApiError.of('invalid_request', 'HTTP/1.0 has no Transfer-Encoding (RFC 9112, 6.1).', { headers: CLOSE });
  }
  const { host } = request.headers;
  if (host === undefined ? httpVersion === '1.1' : isDoubled(rawHeaders, 'host')) {
    return ApiError.of('invalid_request', 'The request must have exactly one Host header.', {
      field: 'Host',
      headers: CLOSE,
    });
  }
  if (host !== undefined && !HOST.test(host)) {
    return ApiError.of('invalid_format', 'The Host header must be a host name or IP address with an optional port.', {
      field: 'Host',
      headers: CLOSE,
    });
  }
  return undefined;
}

function urlProblem(request: ContextRequest, urlLimit: number): ApiError | undefined {
  const url = request.originalUrl;
  if (url.length > urlLimit) {
    return ApiError.of('invalid_request', `The URL is longer than ${urlLimit} characters. Use POST for long searches.`);
  }
  if (url.includes('#'))
    return ApiError.of('invalid_format', 'The URL must not contain "#". Encode it as %23 or remove the fragment.');
  const mark = url.indexOf('?');
  if (holdsEmail(mark === -1 ? url : url.slice(0, mark))) return ApiError.of('invalid_request', EMAIL_IN_URL);
  const [first, ...rest] = mark === -1 ? [] : sensitiveParameters(url.slice(mark + 1));
  if (first)
    return new ApiError(
      [first, ...rest],
      url.startsWith('/oauth/') ? { pragma: 'no-cache', vary: 'client_id, client_secret' } : {},
    );
  const { routed } = request.raw as RoutedMessage;
  return routed && !routed.target ? noSuchVersion() : undefined;
}

/**
 * Sends 408 if no answer has begun (ruling 7). Otherwise gives the client time to read it, then closes the connection.
 */
function budgetOver(context: RequestContext, reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent) {
    if (!reply.raw.writableFinished) context.startBudget(TAKE_ANSWER_MS, () => reply.raw.destroy());
    return;
  }
  context.cancel('budget_exhausted');
  sendError(reply, ApiError.of('timeout', undefined, { headers: CLOSE }));
}

/**
 * Whether a header occurs more than once; Node silently drops some duplicates. `rawHeaders` alternates names and
 * values.
 */
export function isDoubled(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i];
    if (header?.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count > 1;
}
