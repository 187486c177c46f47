import { Readable } from 'node:stream';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { finalize, from, map, NEVER, type Observable, of, switchMap } from 'rxjs';
import type { AdmittedMessage } from './admission/admitting-server.js';
import { Answer } from './answer.js';
import { contextOf } from './context.decorator.js';
import { allowPage } from './cors.js';
import type { UnreadAnswers } from './unread-answers.js';

const LONG_TEXT = 4_096;

/**
 * Writes an Answer to the reply: status code, headers, body. Does nothing after a 408 or after the client disconnected.
 * An application that doesn't read its answers gets no further ones. A stream has a place among the requests in progress until it is made,
 * as other answers have (decision 0036).
 */
@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  constructor(private readonly unread: UnreadAnswers) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = execution.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const context = contextOf(request);
    const reply = http.getResponse<FastifyReply>();
    const { trace } = context;
    if (trace) trace.admittedAt = performance.now();
    const room = this.unread.reserve(context, 0);
    const handled = room ? from(room).pipe(switchMap(() => next.handle())) : next.handle();
    return handled.pipe(
      finalize(() => context.workDone()),
      switchMap((value: unknown) => (context.cancelled ? dropped(value) : of(value))),
      map((value) => {
        if (trace) trace.answeredAt = performance.now();
        if (!(value instanceof Answer)) {
          allowPage(context, reply);
          return value;
        }
        const { status, headers, body, made } = value;
        reply.code(status);
        for (const name in headers) reply.header(name, headers[name]);
        allowPage(context, reply);
        const leave = (): void => (request.raw as AdmittedMessage).place?.leave();
        void made?.then(leave, leave);
        if (typeof body !== 'string' && !Buffer.isBuffer(body)) return body;
        if (!headers['content-type']) reply.header('content-type', 'application/json; charset=utf-8');
        if (body.length <= LONG_TEXT) return body;
        // A Buffer, because Node measures and encodes long strings more slowly.
        const bytes = typeof body === 'string' ? Buffer.from(body) : body;
        this.unread.hold(context, bytes.length);
        return bytes;
      }),
    );
  }
}

/** No client reads the answer: a stream ends, so that its producer stops and frees what it holds. */
function dropped(value: unknown): Observable<never> {
  if (value instanceof Answer && value.body instanceof Readable) value.body.destroy();
  return NEVER;
}
