import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { h } from 'preact';
import { firstValueFrom, from } from 'rxjs';
import { claim } from '../../../test/support/claim.js';
import { page } from './page.js';
import { PageOrigin } from './page-origin.js';

/** Blocks the event loop for some milliseconds while it is rendered. */
function Slow(): string {
  for (const endMs = performance.now() + 4; performance.now() < endMs; );
  return 'slow';
}

claim('API4', 'Pages that wait for the database together are rendered in turns of 8 ms.', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const request = {
    method: 'GET',
    url: '/',
    ip: '192.0.2.1',
    visitor: { accountId: 'acc_a' },
    context: { id: 'req_1' },
    headers: {},
  };
  const execution = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
  const origin = new PageOrigin();
  const handler = async () => {
    await answered;
    return page({ title: 'Page', visitor: undefined }, h(Slow, {}));
  };
  const shown = Array.from({ length: 60 }, async () => {
    const next: CallHandler = { handle: () => from(handler()) };
    return ((await firstValueFrom(origin.intercept(execution, next))) as { body: string }).body;
  });
  answer();
  const startedAt = performance.now();
  let [longest, lastMs, isDone] = [0, startedAt, false];
  const all = Promise.all(shown).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    longest = Math.max(longest, performance.now() - lastMs);
    lastMs = performance.now();
  }
  expect((await all)[59]).toContain('slow');
  // Twenty turns of three pages; the machine may pause.
  expect(longest).toBeLessThan((performance.now() - startedAt) / 3);
});
