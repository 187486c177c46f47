import { expect, it } from '@jest/globals';
import type { ArgumentsHost } from '@nestjs/common';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { pino } from 'pino';
import { PageErrorFilter } from './page-error.filter.js';

/** The page for an error, and its status. */
function pageFor(thrown: unknown): readonly [number, string] {
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
  const http = { getRequest: () => ({}), getResponse: () => reply };
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
