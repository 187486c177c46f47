import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/config.module.js';
import { showAdmission } from '../metrics/admission-metrics.js';
import { observeRequest } from '../metrics/metrics.js';
import { countVersionCall } from '../metrics/version-calls.js';
import { ApiError } from '../status/api-error.js';
import { setThrottledMessage } from '../status/status-container.js';
import { Tracer } from '../tracing/tracer.js';
import { Admission, type AdmissionState } from './admission/admission.js';
import { type AdmittedMessage, admittingServer } from './admission/admitting-server.js';
import { Callers } from './admission/callers.js';
import { AnswerInterceptor } from './answer.interceptor.js';
import { compressAnswers } from './compress-answers.js';
import { ORIGIN_REGISTRY, type OriginRegistry } from './cors.js';
import { countCall } from './count-call.js';
import { ErrorFilter } from './error.filter.js';
import { sendError } from './error-answer.js';
import { answerHeadAndOptions } from './head-and-options.js';
import { NestLogger } from './nest-logger.js';
import { type ContextRequest, endConnection, openRequest } from './open-request.js';
import { boundedPipelining } from './pipelining.js';
import { answerBeyondRoutes, answerUnreadable } from './protocol-errors.js';
import { BodyInterceptor, leaveBodiesUnread } from './request-body.js';
import { REQUEST_RECORDER, type RequestRecorder } from './request-recorder.js';
import { UnreadAnswers } from './unread-answers.js';
import { type RoutedMessage, VERSION_ROUTER, type VersionRouter } from './version-router.js';

const LOG_EVERY_MS = 1_000;

/**
 * Creates the Nest application on Fastify with all request processing: context and budget, URL rules, the answer
 * interceptor, the error filter, and one log line and one metric per request. It does not listen yet.
 */
export async function createApp(
  module: Type<unknown> | DynamicModule,
  config: Config,
  logger: Logger,
  translate: (error: unknown) => ApiError | undefined,
): Promise<NestFastifyApplication> {
  setThrottledMessage(config.compat.throttledMessage);
  // Fastify needs it before the Nest container exists.
  let versions: VersionRouter | undefined;
  const admission = new Admission(config.http.maxConcurrent);
  const callers = new Callers(config.http.trustedProxies);
  showAdmission(() => admission.state);
  const adapter = new FastifyAdapter({
    rewriteUrl: (request: RoutedMessage): string => {
      request.routed = versions?.route(request.url ?? '/');
      return request.routed?.url ?? request.url ?? '/';
    },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: false,
    trustProxy: config.http.trustedProxies.length > 0 ? config.http.trustedProxies : false,
    serverFactory: (handle: RequestListener) =>
      admittingServer(
        serverOptions(config),
        admission,
        callers,
        handle,
        refusalLog(logger, () => admission.state),
      ),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1_500 },
    clientErrorHandler: answerUnreadable,
    // A URL that can't be decoded reaches neither a route nor Nest's filter.
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      endConnection(request);
      sendError(
        reply,
        ApiError.of('invalid_format', "The URL can't be decoded. Check its percent-encoding.", {
          headers: { connection: 'close' },
        }),
      );
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  versions = app.get<VersionRouter>(VERSION_ROUTER, { strict: false });
  const recorder = app.get<RequestRecorder>(REQUEST_RECORDER, { strict: false });
  const tracer = app.get(Tracer, { strict: false });
  const fastify = adapter.getInstance();
  const unread = app.get(UnreadAnswers, { strict: false });
  if (config.http.compression) compressAnswers(fastify, unread);
  answerHeadAndOptions(fastify, app.get<OriginRegistry>(ORIGIN_REGISTRY, { strict: false }));
  leaveBodiesUnread(fastify);
  answerBeyondRoutes(fastify.server as Server);
  fastify.addHook('onRequest', (request, reply, done) => done(openRequest(request, reply, config, recorder, tracer)));
  fastify.addHook('onResponse', (request: ContextRequest, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    const ms = reply.elapsedTime + ((request.raw as AdmittedMessage).waitedMs ?? 0);
    observeRequest(route, request.method, reply.statusCode, ms);
    countCall(request, reply.statusCode);
    if (request.served) countVersionCall(request.served.productId, request.served.label);
    logger.info({
      requestId: request.context?.id,
      traceId: request.context?.span?.traceId,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(ms * 10) / 10,
      application: request.context?.applicationId,
    });
    done();
  });
  app.useGlobalInterceptors(new BodyInterceptor(fastify, config.http.bodyLimitBytes), new AnswerInterceptor(unread));
  app.useGlobalFilters(new ErrorFilter(logger, translate));
  return app;
}

/** Logs at most one line per second about refused requests. */
function refusalLog(logger: Logger, state: () => AdmissionState): () => void {
  let refused = 0;
  return () => {
    refused += 1;
    if (refused > 1) return;
    setTimeout(() => {
      logger.warn({ refused, ...state() }, 'overloaded: requests were refused with 503');
      refused = 0;
    }, LOG_EVERY_MS).unref();
  };
}

function serverOptions({ http }: Config): ServerOptions {
  return {
    ...boundedPipelining,
    keepAliveTimeout: 72_000,
    requestTimeout: http.headersTimeoutMs + http.requestBudgetMs,
    maxHeaderSize: http.headerLimitBytes,
    headersTimeout: http.headersTimeoutMs,
    connectionsCheckingInterval: 1_000,
    // openRequest rejects a request without Host, so that the answer has a status container.
    requireHostHeader: false,
  };
}
