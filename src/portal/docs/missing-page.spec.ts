import { expect, test } from '@jest/globals';
import Fastify from 'fastify';
import { claim } from '../../../test/support/claim.js';
import type { SessionsService } from '../../accounts/sessions.service.js';
import { MemoryStore } from '../../store/memory/memory-store.js';
import { showMissingPages } from './missing-page.js';

claim(
  ['API4', 'portal'],
  'Unknown pages count as pages of their network; beyond its limit, they are shown without reading the session.',
  async () => {
    const fastify = Fastify();
    let reads = 0;
    const visitor = async () => {
      reads += 1;
      return undefined;
    };
    const sessions = { visitor } as unknown as SessionsService;
    showMissingPages(fastify, sessions, new MemoryStore(1_000));
    for (let page = 0; page < 700; page += 1) {
      const { statusCode, body } = await fastify.inject({ url: '/nope', headers: { accept: 'text/html' } });
      expect([statusCode, body.includes('exist')]).toEqual([404, true]);
    }
    expect(reads).toBeGreaterThanOrEqual(600);
    expect(reads).toBeLessThan(640);
    await fastify.close();
  },
);

test('a missing page knows who is logged in over http on this machine, where cookies have no prefix', async () => {
  const fastify = Fastify();
  const seen: (string | undefined)[] = [];
  const visitor = async (cookie: string | undefined) => {
    seen.push(cookie);
    return { accountId: 'acc_a', name: 'Ada Sample', role: 'developer' };
  };
  showMissingPages(fastify, { visitor } as unknown as SessionsService, new MemoryStore(1_000));
  const headers = { accept: 'text/html', cookie: 'forecourt=session', host: 'localhost' };
  const { body } = await fastify.inject({ url: '/nope', headers });
  expect([seen, body.includes('Ada Sample')]).toEqual([['__Host-forecourt=session'], true]);
  await fastify.close();
});
