import type { ExecutionContext } from '@nestjs/common';
import Fastify, { type FastifyRequest } from 'fastify';
import { lastValueFrom, of } from 'rxjs';
import { claim } from '../../test/support/claim.js';
import { contextOfApplication } from '../context/fixtures/context.js';
import type { ContextRequest } from './open-request.js';
import { BodyInterceptor, leaveBodiesUnread } from './request-body.js';

/** Blocks the event loop, as checking a body does. */
function work(): string {
  for (const endMs = performance.now() + 4; performance.now() < endMs; );
  return 'done';
}

claim.each(['GET', 'POST'] as const)(
  'API4',
  'API calls that wait for the store together are handled in turns of 8 ms.',
  '%s',
  async (method) => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const fastify = Fastify();
    leaveBodiesUnread(fastify);
    const interceptor = new BodyInterceptor(fastify, 65_536);
    let waiting = 0;
    const handle = async (request: FastifyRequest): Promise<unknown> => {
      (request as ContextRequest).context = contextOfApplication('app_a', 0, { accountId: 'acc_a' });
      waiting += 1;
      await answered;
      const execution = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
      return lastValueFrom(await interceptor.intercept(execution, { handle: () => of(work()) }));
    };
    fastify.get('/', handle);
    fastify.post('/', handle);
    const calls = Array.from({ length: 60 }, () =>
      fastify.inject({ method, url: '/', ...(method === 'POST' ? { payload: { a: 1 } } : {}) }),
    );
    let isDone = false;
    const all = Promise.all(calls).finally(() => {
      isDone = true;
    });
    while (waiting < calls.length) await new Promise((resolve) => setTimeout(resolve, 1));
    answer();
    const startedAt = performance.now();
    let [longest, lastMs] = [0, startedAt];
    while (!isDone) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      longest = Math.max(longest, performance.now() - lastMs);
      lastMs = performance.now();
    }
    expect((await all).map(({ body }) => body)).toEqual(Array(60).fill('done'));
    // Twenty turns of three calls; the machine may pause.
    expect(longest).toBeLessThan((performance.now() - startedAt) / 3);
    await fastify.close();
  },
);
