import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/config.module.js';
import { observeRequest } from '../metrics/metrics.js';
import { ApiError } from '../status/api-error.js';
import { setThrottledMessage, statusContainer } from '../status/status-container.js';
import { AnswerInterceptor } from './answer.interceptor.js';
import { ErrorFilter } from './error.filter.js';
import { NestLogger } from './nest-logger.js';
import { RequestScope } from './request-scope.js';
import { sensitiveParameters } from './sensitive-url.js';

/** Set while the process shuts down: every answer then closes its connection and /health/ready says no. */
export const lifecycle = { draining: false };

type ScopedRequest = FastifyRequest & { scope?: RequestScope; applicationId?: string };

/**
 * Makes the Nest application on Fastify with everything that surrounds a request: scope and budget, URL rules, the answer interceptor,
 * the error filter, one log line and one metric a request. It does not listen yet.
 */
export async function createApp(
  module: Type<unknown> | DynamicModule,
  config: Config,
  logger: Logger,
  translate: (error: unknown) => ApiError | undefined,
): Promise<NestFastifyApplication> {
  setThrottledMessage(config.compat.throttledMessage);
  const adapter = new FastifyAdapter({
    bodyLimit: config.http.bodyLimitBytes,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: false,
    trustProxy: config.http.trustedProxies.length > 0 ? config.http.trustedProxies : false,
    keepAliveTimeout: 72_000,
    requestTimeout: config.http.headersTimeoutMs + config.http.requestBudgetMs,
    http: { maxHeaderSize: config.http.headerLimitBytes, headersTimeout: config.http.headersTimeoutMs },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1_500 },
    clientErrorHandler: answerUnreadable,
    // A URL that cannot be decoded never reaches a route, nor Nest's filter.
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) => {
      const problem = { reason: 'invalid_format', details: 'The URL cannot be read.' } as const;
      const body = JSON.stringify({ status: statusContainer(Date.now(), undefined, [problem]) });
      void reply.code(400).header('content-type', 'application/json; charset=utf-8').header('cache-control', 'no-store').send(body);
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  const fastify = adapter.getInstance();
  fastify.removeContentTypeParser('text/plain');
  fastify.addHook('onRequest', (request, reply, done) => {
    const problem = openRequest(request, reply, config);
    done(problem);
  });
  fastify.addHook('onResponse', (request: ScopedRequest, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    observeRequest(route, request.method, reply.statusCode, reply.elapsedTime);
    logger.info({
      requestId: request.scope?.id,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      application: request.applicationId,
    });
    done();
  });
  app.useGlobalInterceptors(new AnswerInterceptor());
  app.useGlobalFilters(new ErrorFilter(logger, translate));
  return app;
}

/** Starts the scope of a request; returns the error to answer with when its URL may not be processed. */
function openRequest(request: ScopedRequest, reply: FastifyReply, config: Config): ApiError | undefined {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && /^[\w.:-]{8,100}$/.test(given) ? given : `req_${randomBytes(12).toString('base64url')}`;
  const scope = new RequestScope(id, Date.now());
  request.scope = scope;
  reply.header('x-request-id', id);
  if (lifecycle.draining) reply.header('connection', 'close');
  scope.startBudget(config.http.requestBudgetMs, () => answerTimeout(scope, reply));
  reply.raw.once('close', () => {
    scope.end();
    if (!reply.raw.writableFinished) scope.cancel('client_gone');
  });
  const url = request.raw.url ?? '/';
  if (url.length > config.http.urlLimitCharacters) {
    return ApiError.of(
      'invalid_request',
      `The URL is longer than ${config.http.urlLimitCharacters} characters. Send long searches by POST.`,
    );
  }
  const mark = url.indexOf('?');
  if (mark === -1) return undefined;
  const [first, ...rest] = sensitiveParameters(url.slice(mark + 1));
  return first ? new ApiError([first, ...rest]) : undefined;
}

function answerTimeout(scope: RequestScope, reply: FastifyReply): void {
  if (reply.sent) return;
  scope.cancel('budget_over');
  const body = JSON.stringify({ status: statusContainer(scope.startedAt, undefined, [{ reason: 'timeout' }]) });
  reply
    .code(408)
    .header('connection', 'close')
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(body);
}

/** Answers a request that is no readable HTTP, on the bare socket, and closes it (ruling 18). */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [line, problem] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? (['408 Request Timeout', { reason: 'timeout' }] as const)
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? (['400 Bad Request', { reason: 'invalid_request', details: 'The request headers are too long.' }] as const)
        : ([
            '400 Bad Request',
            { reason: 'invalid_format', details: 'The request is not valid HTTP. Percent-encode what is not ASCII in the URL.' },
          ] as const);
  const body = JSON.stringify({ status: statusContainer(Date.now(), undefined, [problem]) });
  socket.end(
    `HTTP/1.1 ${line}\r\ncontent-type: application/json; charset=utf-8\r\ncache-control: no-store\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
