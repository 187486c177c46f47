import { expect, it } from '@jest/globals';
import type { ArgumentsHost } from '@nestjs/common';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { pino } from 'pino';
import { PageErrorFilter } from './page-error.filter.js';

/** The page for an error, and its status. */
function pageFor(thrown: unknown, method = 'GET'): readonly [number, string] {
  let [status, body] = [0, ''];
  const reply = {
    sent: false,
    code: (code: number) => {
      status = code;
      return reply;
    },
    headers: () => reply,
    send: (text: string) => {
      body = text;
    },
  };
  const http = { getRequest: () => ({ method }), getResponse: () => reply };
  const host = { switchToHttp: () => http } as unknown as ArgumentsHost;
  new PageErrorFilter(pino({ enabled: false })).catch(thrown, host);
  return [status, body];
}

it.each([
  ['commit', 'If you submitted a form, check whether it took effect before you send it again.'],
  ['select 1', 'Try again in a minute.'],
])('a connection that breaks during "%s" is a 503, which says what to do: %s', (statement, next) => {
  const broken = new Error('Connection terminated unexpectedly');
  const [status, body] = pageFor(new DrizzleQueryError(statement, [], broken));
  expect(status).toBe(503);
  expect(body).toContain(`This page is temporarily unavailable. ${next}`);
});

it('a form that waits too long for a lock gets a 503, which says what is wrong and what to do', () => {
  const late = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
  const [status, body] = pageFor(new DrizzleQueryError('update reservations', [], late), 'POST');
  expect(status).toBe(503);
  expect(body).toContain('Something else is changing the same data at the moment, so your change was not made.');
  expect(body).toContain('Wait a few seconds, then go back and send the form again.');
});
