import type { FastifyRequest } from 'fastify';
import { claim } from '../../../test/support/claim.js';
import { Turns } from '../../config/turns.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { StartController } from './start.controller.js';

claim('API4', 'The home page is one of the pages that an account has one at a time.', async () => {
  const reports = { turns: new Turns() };
  const own = { callable: async () => [{ id: 'app_a', products: [] }] };
  const secrets = { takeFirst: async () => undefined };
  let reading = 0;
  let most = 0;
  let reads = 0;
  const milestones = {
    of: async () => {
      reading += 1;
      reads += 1;
      most = Math.max(most, reading);
      await new Promise(setImmediate);
      reading -= 1;
      return { token: true, ok: true, partial: true, booking: true, webhook: true };
    },
  };
  const unused = {} as never;
  const log = { newest: async () => [] };
  const errors = { read: async () => ({ groups: [], found: 0, since: undefined }) };
  const parts = [own, secrets, milestones, new HeavyViews({ reports }), unused, unused, unused, log, errors];
  const controller = new StartController(
    ...([...parts, { environment: 'sandbox' }] as unknown as ConstructorParameters<typeof StartController>),
  );
  const request = { visitor: { accountId: 'acc_a', role: 'developer' } } as unknown as FastifyRequest;
  await Promise.allSettled([1, 2, 3].map(() => controller.start(request)));
  expect({ reads, most }).toEqual({ reads: 3, most: 1 });
});

it('The front page is loaded again while its example is made.', async () => {
  const example = { read: async () => undefined, isComing: true };
  const reports = { current: async () => ({ parts: [], generated_at: 'now' }) };
  const unused = {} as never;
  const parts = [unused, unused, unused, unused, example, reports, unused, unused, unused];
  const controller = new StartController(
    ...([...parts, { environment: 'sandbox', http: {} }] as unknown as ConstructorParameters<typeof StartController>),
  );
  const request = { headers: { host: 'localhost' }, raw: { socket: {} } } as unknown as FastifyRequest;
  const coming = await controller.start(request);
  expect([coming.headers.refresh, String(coming.body)]).toEqual(['2', expect.stringContaining('reloads in a moment')]);
  example.isComing = false;
  const without = await controller.start(request);
  expect([without.headers.refresh, String(without.body)]).toEqual([undefined, expect.not.stringContaining('reloads')]);
});
