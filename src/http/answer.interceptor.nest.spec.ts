import { Readable } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';
import { of } from 'rxjs';
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
