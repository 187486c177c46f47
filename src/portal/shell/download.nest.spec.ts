import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { sql } from 'drizzle-orm';
import type { FastifyRequest } from 'fastify';
import { claim } from '../../../test/support/claim.js';
import { migratedDatabase } from '../../../test/support/migrated-database.js';
import { SessionsService } from '../../accounts/sessions.service.js';
import { configSchema } from '../../config/config.schema.js';
import { loadKeys } from '../../config/keys.js';
import { RequestContext } from '../../context/request-context.js';
import { MemoryStore } from '../../store/memory/memory-store.js';
import { download } from './download.js';
import { PortalGuard } from './portal.guard.js';

const config = configSchema.parse({ environment: 'sandbox', secret: 'a-secret-of-the-download-tests-0123456789' });
const database = migratedDatabase('accounts');
beforeEach(async () => {
  await database().rows(sql`insert into accounts (id, environment, name, tier, email, verified_at)
    values ('acc_a', 'sandbox', 'Ada Sample', 'demo', 'ada@example.com', now())`);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** A download in six parts that the browser takes in six seconds; `meanwhile` happens after the second. Resolves with the parts that it got. */
async function taken(meanwhile: (sessions: SessionsService, cookie: string) => Promise<unknown>): Promise<number> {
  const store = new MemoryStore(0, Date.now);
  const sessions = new SessionsService(store, database(), config, loadKeys(config));
  const cookie = (await sessions.begin('acc_a', 0)).split(';', 1)[0] ?? '';
  const context = new RequestContext('req_1', 0);
  const request = {
    method: 'GET',
    url: '/account/data/export',
    ip: '192.0.2.1',
    headers: { cookie },
    raw: { socket: {} },
    context,
  } as unknown as FastifyRequest;
  const execution = {
    switchToHttp: () => ({ getRequest: () => request }),
    getHandler: () => taken,
    getClass: () => PortalGuard,
  } as unknown as ExecutionContext;
  await new PortalGuard(sessions, new Reflector(), store).canActivate(execution);
  async function* parts() {
    for (let number = 1; number <= 6; number += 1) yield `part ${number}`;
  }
  const headers = { 'content-type': 'text/plain', 'content-disposition': 'attachment' };
  const body: AsyncIterable<string> = download(request, parts(), headers).body;
  const seconds = jest.spyOn(performance, 'now');
  const startedAt = performance.now();
  let count = 0;
  try {
    for await (const _part of body) {
      count += 1;
      if (count === 2) await meanwhile(sessions, cookie);
      seconds.mockReturnValue(startedAt + count * 1_000);
    }
  } catch {
    return count;
  } finally {
    context.end();
  }
  return count;
}

it.each<[string, (sessions: SessionsService, cookie: string) => Promise<unknown>]>([
  ['nothing happens', async () => undefined],
  [
    'the password is confirmed in another tab',
    async (sessions, cookie) => {
      expect(await sessions.take(cookie)).toBe(true);
      await sessions.begin('acc_a', 0);
    },
  ],
])('a download is complete if %s', async (_what, meanwhile) => {
  expect(await taken(meanwhile)).toBe(6);
});

claim.each<[string, (sessions: SessionsService) => Promise<unknown>]>([
  ['logs out everywhere', (sessions) => database().tables.transaction((tx) => sessions.endAll('acc_a', tx))],
  ['is deleted', () => database().rows(sql`update accounts set email = null where id = 'acc_a'`)],
  ['gets another role', () => database().rows(sql`update accounts set role = 'ops' where id = 'acc_a'`)],
])(
  'portal',
  'A download stops within a second of reading if its account logs out everywhere, is deleted or gets another role.',
  'an account that %s',
  async (_what, meanwhile) => {
    expect(await taken(meanwhile)).toBeLessThan(5);
  },
);
