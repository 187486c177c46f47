import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { SignUpsPausedError } from '../../accounts/account-mail.js';
import { PasswordsBusyError } from '../../accounts/passwords.js';
import { LOGGER } from '../../config/logger.js';
import { SessionRevokedError, TooManyChangesError } from '../../database/actor.js';
import { databaseFault, mayBeDone } from '../../database/database-fault.js';
import { logMissingKey } from '../../http/error.filter.js';
import { type ContextRequest, idsOf } from '../../http/open-request.js';
import { ApiError } from '../../status/api-error.js';
import { throttled } from '../../status/throttled.js';
import { translateError } from '../../system/translate-error.js';
import { errorPage } from './error-page.js';
import { PageError } from './page-error.js';
import { visitorIf } from './portal.guard.js';

const SIGN_UPS_PAUSED =
  'Too many sign-ups are waiting for their email, so no more are accepted at the moment. Nothing was saved. Try again in 10 minutes.';

const LOCKED =
  'Something else is changing the same data at the moment, so your change was not made. Wait a few seconds, then go back and send the form again.';

const UNKNOWN_OUTCOME = 'If you submitted a form, check whether it took effect before you send it again.';

/** Renders errors as pages. An unexpected error is a 500 page with only the request id. */
@Catch()
export class PageErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<ContextRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent || request.context?.cancelled) return;
    const { status, message, headers, location } = this.#describe(thrown, request);
    if (location !== undefined) {
      reply.code(303).headers(headers).header('location', location).header('cache-control', 'no-store').send('');
      return;
    }
    const page = errorPage(status, message, request.context?.id ?? '', visitorIf(request));
    reply.code(status).headers(page.headers).headers(headers).send(page.body);
  }

  #describe(
    thrown: unknown,
    request: ContextRequest,
  ): { status: number; message: string; headers: Readonly<Record<string, string>>; location?: string | undefined } {
    if (thrown instanceof PageError) return thrown;
    if (thrown instanceof SessionRevokedError) return PageError.login(undefined);
    if (thrown instanceof TooManyChangesError) return this.#describe(asApiError(thrown), request);
    if (thrown instanceof ApiError) {
      const [{ details }] = thrown.problems;
      return { status: thrown.status, message: details ?? thrown.message, headers: thrown.headers };
    }
    if (translateError(thrown) || thrown instanceof PasswordsBusyError) {
      logMissingKey(this.logger, thrown, request);
      if (request.method === 'POST' && databaseFault(thrown) === 'locked')
        return { status: 503, message: LOCKED, headers: { 'retry-after': '5' } };
      const next = mayBeDone(thrown) ? UNKNOWN_OUTCOME : 'Try again in a minute.';
      return {
        status: 503,
        message: `This page is temporarily unavailable. ${next}`,
        headers: { 'retry-after': '60' },
      };
    }
    if (thrown instanceof SignUpsPausedError)
      return { status: 503, message: SIGN_UPS_PAUSED, headers: { 'retry-after': '600' } };
    this.logger.error({ err: thrown, ...idsOf(request) }, 'unexpected error');
    return {
      status: 500,
      message: `Something went wrong on our side. ${UNKNOWN_OUTCOME}`,
      headers: {},
    };
  }
}

function asApiError({ message, retryAfterSeconds }: TooManyChangesError): ApiError {
  const isSoon = retryAfterSeconds < 60;
  return throttled(
    retryAfterSeconds,
    message,
    isSoon ? undefined : `Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`,
  );
}
