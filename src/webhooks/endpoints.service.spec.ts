import { describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { configSchema } from '../config/config.schema.js';
import { contextOfApplication } from '../context/fixtures/context.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import { EndpointsService } from './endpoints.service.js';

const SINCE = { since: 0 };
const ENDPOINT = `whe_${'0'.repeat(24)}`;

/** Replays at an endpoint with this many events. */
function setUp(events: number) {
  let now = 0;
  const sent: number[] = [];
  const send = (count: number) => {
    sent.push(count);
    return count;
  };
  const endpoints = { find: async (_application: string, id: string) => ({ id, state: 'active' }) };
  const log = {
    countSince: async () => Math.min(events, 1_000),
    replaySince: async (_id: string, _since: number, most: number) => send(most),
    replay: async () => send(1) === 1,
  };
  const turns = { run: async <T>(_caller: string, work: () => Promise<T>) => work() };
  const store = new MemoryStore(1_000, () => now);
  const service = new EndpointsService(
    ...([endpoints, log, configSchema.parse({}), { reports: { turns } }, store] as unknown as ConstructorParameters<
      typeof EndpointsService
    >),
  );
  const replay = (application: string, accountId: string, body: object = SINCE) =>
    service.replay(ENDPOINT, body as never, contextOfApplication(application, 0, { accountId }));
  const pass = (seconds: number): void => {
    now += seconds * 1_000;
  };
  return { replay, sent, pass };
}

claim(
  'API4',
  'The applications of an account can replay 1,000 events of webhooks per minute together; further calls get 429 with Retry-After, and other accounts are not affected.',
  async () => {
    const { replay, sent, pass } = setUp(400);
    expect(await replay('app_1', 'acc_1')).toBe(400);
    expect(await replay('app_2', 'acc_1')).toBe(400);
    await expect(replay('app_1', 'acc_1')).rejects.toMatchObject({
      status: 429,
      headers: { 'retry-after': '12' },
      problems: [{ details: 'Your account can replay 1,000 events per minute; these are 400. Try again in 12 s.' }],
    });
    expect(await replay('app_3', 'acc_2')).toBe(400);
    for (let one = 0; one < 200; one += 1) await replay('app_2', 'acc_1', { event_id: 'evt_1' });
    await expect(replay('app_2', 'acc_1', { event_id: 'evt_1' })).rejects.toMatchObject({ status: 429 });
    expect(sent.reduce((sum, count) => sum + count)).toBe(1_400);
    pass(24);
    expect(await replay('app_1', 'acc_1')).toBe(400);
  },
);

describe('a replay', () => {
  it('of more events than the limit sends as many, and one of none is not counted', async () => {
    const many = setUp(5_000);
    expect(await many.replay('app_1', 'acc_1')).toBe(1_000);
    await expect(many.replay('app_1', 'acc_1')).rejects.toMatchObject({ headers: { 'retry-after': '60' } });
    const none = setUp(0);
    expect(await none.replay('app_1', 'acc_1')).toBe(0);
    expect(none.sent).toEqual([]);
  });
});
