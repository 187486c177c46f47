import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { missingKeyOf } from '../config/sealed-text.js';
import { holdsCardNumber } from '../privacy/card-numbers.js';
import { maskedText } from '../privacy/masked-text.js';
import { ApiError } from '../status/api-error.js';
import { sendError } from './error-answer.js';
import { type ContextRequest, idsOf } from './open-request.js';

/** Converts every thrown value to an error answer (spec §7.1). Unknown errors become a 500 without details. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: Logger,
    /** Converts errors of other modules, such as an unavailable store, to an ApiError caused by them; undefined = unknown. */
    private readonly translate: (error: unknown) => ApiError | undefined,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<ContextRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent || request.context?.cancelled) return;
    const error = this.toApiError(thrown, request);
    if (error.status >= 500 && error.problems[0].reason === 'unexpected_condition') {
      this.logger.error({ err: thrown, ...idsOf(request) }, 'unexpected error');
    }
    sendError(reply, error);
  }

  private toApiError(thrown: unknown, request: ContextRequest): ApiError {
    const known = thrown instanceof ApiError ? thrown : this.translate(thrown);
    if (known?.cause instanceof Error) this.#logOutage(known, known.cause, request);
    return known ?? fromFramework(thrown, request) ?? ApiError.of('unexpected_condition');
  }

  #logOutage({ problems: [problem] }: ApiError, error: Error, request: ContextRequest): void {
    if (logMissingKey(this.logger, error, request)) return;
    const { cause, message } = error;
    // The message of a failed statement is its text; why it failed is its cause.
    const why = maskedText(cause instanceof Error ? cause.message : message);
    this.logger.warn({ ...idsOf(request), cause: problem.cause, why }, 'a dependency is unavailable');
  }
}

/** Logs which key is missing, if an error is about that: only an operator can configure it. Returns whether it is. */
export function logMissingKey(logger: Logger, error: unknown, request: ContextRequest): boolean {
  const missing = missingKeyOf(error);
  if (!missing) return false;
  const { variable, keyVersion } = missing;
  logger.error({ ...idsOf(request), variable, keyVersion }, 'stored data is encrypted with a key that is missing here');
  return true;
}

/** Converts errors of Fastify and Nest, such as unreadable requests and unknown routes. */
function fromFramework(thrown: unknown, request: FastifyRequest): ApiError | undefined {
  if (thrown instanceof HttpException && thrown.getStatus() === 404) {
    const path = request.originalUrl.split('?', 1)[0]?.slice(0, 200) ?? '';
    const shown = holdsCardNumber(path) ? 'such path' : `${request.method} ${path}`;
    return ApiError.of('resource_failure', `There is no ${shown}. See /openapi.json for the available paths.`);
  }
  // Nest wraps errors that Fastify throws before a route is reached.
  const error = thrown instanceof HttpException && thrown.cause !== undefined ? thrown.cause : thrown;
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500)
    return ApiError.of('invalid_request', "The request couldn't be read.");
  if (thrown instanceof HttpException && thrown.getStatus() < 500)
    return ApiError.of('invalid_request', "The request couldn't be read.");
  return undefined;
}
