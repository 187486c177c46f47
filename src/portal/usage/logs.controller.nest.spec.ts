import type { FastifyRequest } from 'fastify';
import { Turns } from '../../config/turns.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { LogsController } from './logs.controller.js';

test('the page of one request queues behind other pages of its account, because it may search thousands of reservations', async () => {
  const views = new HeavyViews({ reports: { turns: new Turns() } });
  const read: string[] = [];
  /** Whether another page of the account waits for what is being read. */
  const waits = async (what: string): Promise<void> => {
    let isOtherRead = false;
    void views.run('acc_a', async () => {
      isOtherRead = true;
    });
    await new Promise(setImmediate);
    read.push(`${what} ${isOtherRead ? 'beside' : 'before'} others`);
  };
  const record = { applicationId: 'app_a', at: 1, requestId: 'one', trace: { reservation: 'mark' } };
  const log = { find: async () => waits('request').then(() => [record]) };
  const reservations = { marked: () => waits('reservation').then(() => Promise.reject(new Error('all is read'))) };
  const own = { list: async () => [{ id: 'app_a' }] };
  const unused = {} as never;
  const controller = new LogsController(
    ...([own, log, unused, views, unused, reservations, unused, unused] as unknown as ConstructorParameters<
      typeof LogsController
    >),
  );
  const request = { visitor: { accountId: 'acc_a' } } as unknown as FastifyRequest;
  await expect(controller.explain(request, 'one', {})).rejects.toThrow('all is read');
  expect(read).toEqual(['request before others', 'reservation before others']);
});
