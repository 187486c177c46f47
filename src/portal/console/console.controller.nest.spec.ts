import { beforeEach } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { sql } from 'drizzle-orm';
import type { FastifyRequest } from 'fastify';
import { claim } from '../../../test/support/claim.js';
import { migratedDatabase } from '../../../test/support/migrated-database.js';
import { SessionsService } from '../../accounts/sessions.service.js';
import { TokensService } from '../../auth/tokens.service.js';
import { configSchema } from '../../config/config.schema.js';
import { loadKeys } from '../../config/keys.js';
import { RequestContext } from '../../context/request-context.js';
import { MemoryStore } from '../../store/memory/memory-store.js';
import { PortalGuard } from '../shell/portal.guard.js';
import { ConsoleController } from './console.controller.js';

const config = configSchema.parse({ environment: 'sandbox', secret: 'a-secret-of-the-console-tests-0123456789' });
const policy = {
  accountId: 'acc_a',
  applicationId: 'app_0123456789abcdef0123',
  clientId: 'client-a',
  environment: 'sandbox',
  products: [],
  limits: { application: { perMinute: 60, burst: 10 } },
} as const;
const database = migratedDatabase('applications', 'accounts');
beforeEach(async () => {
  await database().rows(sql`insert into accounts (id, environment, name, tier, email, verified_at)
    values ('acc_a', 'sandbox', 'Ada Sample', 'demo', 'ada@example.com', now())`);
  await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier)
    values (${policy.applicationId}, 'acc_a', 'A', 'client-a', 'sandbox', 'demo')`);
});

claim.each([
  ['before the token is stored', true],
  ['after it', false],
])(
  ['portal', 'V7.2'],
  'The console issues no token for a session that ended after its request was accepted.',
  'a session that ends %s',
  async (_title, isBefore) => {
    const store = new MemoryStore(0, Date.now);
    const sessions = new SessionsService(store, database(), config, loadKeys(config));
    const digests: string[] = [];
    const endAll = () => database().tables.transaction((tx) => sessions.endAll('acc_a', tx));
    const saveToken = store.saveToken.bind(store);
    store.saveToken = async (token, ...rest) => {
      digests.push(token.digest);
      if (isBefore) await endAll();
      await saveToken(token, ...rest);
      if (!isBefore) await endAll();
    };
    const applications = { policyOfOwn: async () => policy, policyNow: async () => policy };
    const unused = {};
    const parts = [
      config,
      unused,
      unused,
      applications,
      { count: async () => undefined },
      new TokensService(store, config, applications as never, unused as never),
      unused,
    ];
    const controller = new ConsoleController(...(parts as unknown as ConstructorParameters<typeof ConsoleController>));
    const cookie = (await sessions.begin('acc_a', 0)).split(';', 1)[0];
    const request = {
      method: 'POST',
      url: '/console/token',
      ip: '192.0.2.1',
      host: 'forecourt.example',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      raw: { socket: {} },
      body: `application=${policy.applicationId}`,
      context: new RequestContext('req_1', 0),
    } as unknown as FastifyRequest;
    const execution = {
      switchToHttp: () => ({ getRequest: () => request }),
      getHandler: () => controller.token,
      getClass: () => ConsoleController,
    } as unknown as ExecutionContext;
    await new PortalGuard(sessions, new Reflector(), store).canActivate(execution);

    await expect(controller.token(request)).rejects.toThrow('Log in first.');
    expect(digests).toHaveLength(1);
    expect(await store.inspect(policy, digests[0] ?? '')).toBeUndefined();
  },
);
