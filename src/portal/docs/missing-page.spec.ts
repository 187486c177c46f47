import { expect } from '@jest/globals';
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
