import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.module.js';
import { ApiError } from '../status/api-error.js';
import { statusContainer } from '../status/status-container.js';
import { RequestScope } from './request-scope.js';
import { holdsCardNumber, sensitiveParameters } from './sensitive-url.js';
import { noSuchVersion, type RoutedMessage, type ServedVersion } from './version-router.js';

/** Set while the process shuts down: every answer then closes its connection and /health/ready says no. */
export const lifecycle = { draining: false };

/** A request with what the hooks and guards put on it. */
export type ScopedRequest = FastifyRequest & { scope?: RequestScope; applicationId?: string; served?: ServedVersion };

/** Time for a client to take an answer that was ready when the budget ended; then its connection is closed. */
const TAKE_ANSWER_MS = 20_000;

/** Starts the scope of a request; returns the error to answer with when its URL or Host may not be processed. */
export function openRequest(request: ScopedRequest, reply: FastifyReply, config: Config): ApiError | undefined {
  const given = request.headers['x-request-id'];
  // It goes into logs and to suppliers: nobody's card number may.
  const id =
    typeof given === 'string' && /^[\w.:-]{8,100}$/.test(given) && !holdsCardNumber(given)
      ? given
      : `req_${randomBytes(12).toString('base64url')}`;
  const scope = new RequestScope(id, Date.now());
  request.scope = scope;
  reply.header('x-request-id', id);
  if (lifecycle.draining) reply.header('connection', 'close');
  scope.startBudget(config.http.requestBudgetMs, () => budgetOver(scope, reply));
  reply.raw.once('close', () => {
    scope.end();
    if (!reply.raw.writableFinished) scope.cancel('client_gone');
  });
  return problemOf(request, config.http.urlLimitCharacters);
}

function problemOf(request: ScopedRequest, urlLimit: number): ApiError | undefined {
  const { rawHeaders, httpVersion } = request.raw;
  if (request.headers.host === undefined ? httpVersion === '1.1' : isDoubled(rawHeaders, 'host')) {
    return ApiError.of('invalid_request', 'The request needs exactly one Host header.', { field: 'Host' });
  }
  const url = request.originalUrl;
  if (url.length > urlLimit) {
    return ApiError.of('invalid_request', `The URL is longer than ${urlLimit} characters. Send long searches by POST.`);
  }
  if (url.includes('#')) return ApiError.of('invalid_format', 'The URL must not hold "#": write it as %23, or leave the fragment out.');
  const mark = url.indexOf('?');
  const [first, ...rest] = mark === -1 ? [] : sensitiveParameters(url.slice(mark + 1));
  if (first)
    return new ApiError([first, ...rest], url.startsWith('/oauth/') ? { pragma: 'no-cache', vary: 'client_id, client_secret' } : {});
  const { routed } = request.raw as RoutedMessage;
  return routed && !routed.target ? noSuchVersion() : undefined;
}

/** Nothing answered yet → 408 (ruling 7). An answer that has begun is not touched, but a client that does not take it is left. */
function budgetOver(scope: RequestScope, reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent) {
    if (!reply.raw.writableFinished) scope.startBudget(TAKE_ANSWER_MS, () => reply.raw.destroy());
    return;
  }
  scope.cancel('budget_over');
  const body = JSON.stringify({ status: statusContainer(scope.startedAt, undefined, [{ reason: 'timeout' }]) });
  reply
    .code(408)
    .header('connection', 'close')
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(body);
}

/** Whether a header occurs more than once: Node keeps the first of some and tells nothing. `rawHeaders` are names and values in turn. */
export function isDoubled(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i];
    if (header?.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count > 1;
}
