import { Readable } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';
import { of } from 'rxjs';
import { claim } from '../../test/support/claim.js';
import { RequestContext } from '../context/request-context.js';
import { AnswerInterceptor } from './answer.interceptor.js';
import { Answer } from './answer.js';
import type { UnreadAnswers } from './unread-answers.js';

test('a streamed answer whose client disconnected before it began is closed, so that its producer frees what it holds', () => {
  const body = Readable.from(['rows']);
  const request = { context: { cancelled: true, workDone: () => undefined } };
  const execution = { switchToHttp: () => ({ getRequest: () => request, getResponse: () => ({}) }) };
  const interceptor = new AnswerInterceptor({ reserve: () => undefined } as unknown as UnreadAnswers);
  const handled = interceptor.intercept(execution as unknown as ExecutionContext, {
    handle: () => of(new Answer(200, body)),
  });
  handled.subscribe();
  expect(body.destroyed).toBe(true);
});

claim(
  'API4',
  'A streamed response takes no place among the requests in progress once it is written, although its client has not read it.',
  async () => {
    let places = 1;
    const leave = () => {
      places = 0;
    };
    const request = { context: new RequestContext('req_1', 0), raw: { place: { leave } } };
    const reply = { code: () => reply, header: () => reply };
    const execution = { switchToHttp: () => ({ getRequest: () => request, getResponse: () => reply }) };
    const { promise: made, resolve: end } = Promise.withResolvers<void>();
    new AnswerInterceptor({ reserve: () => undefined } as unknown as UnreadAnswers)
      .intercept(execution as unknown as ExecutionContext, {
        handle: () => of(new Answer(200, new Readable({ read: () => undefined }), {}, made)),
      })
      .subscribe();
    await new Promise(setImmediate);
    expect(places).toBe(1);
    end();
    await new Promise(setImmediate);
    expect(places).toBe(0);
  },
);
