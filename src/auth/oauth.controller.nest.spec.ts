import { expect } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { claim } from '../../test/support/claim.js';
import { configSchema } from '../config/config.schema.js';
import type { ApiError } from '../status/api-error.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import type { ApplicationsService } from './applications.service.js';
import { ClientAuthentication } from './client-authentication.js';
import { OAuthController } from './oauth.controller.js';
import type { TokensService } from './tokens.service.js';

/** Statuses of the operations for forms of an address. */
function setUp() {
  const store = new MemoryStore(1_000, () => 0);
  const authentication = new ClientAuthentication({} as ApplicationsService, store, configSchema.parse({}));
  const controller = new OAuthController(authentication, {} as TokensService);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return async (ip: string, body: string, operation: 'token' | 'revoke' | 'introspect' = 'token') =>
    await controller[operation]({ body, ip, headers } as FastifyRequest).then(
      ({ status }) => ({ status, retryAfter: undefined }),
      ({ status, headers: { 'retry-after': retryAfter } }: ApiError) => ({ status, retryAfter }),
    );
}

claim(
  'API4',
  'A network sends 6,000 forms to /oauth/ per minute; further ones get 429 with Retry-After before they are read, and other networks are served.',
  async () => {
    const send = setUp();
    const statuses = new Set<number>();
    for (let number = 0; number < 6_000; number += 1)
      statuses.add((await send('192.0.2.1', 'x=1', (['token', 'revoke', 'introspect'] as const)[number % 3])).status);
    expect([...statuses]).toEqual([401]);
    // Read, it would be a 400.
    expect(await send('192.0.2.1', 'x=1&x=1')).toEqual({ status: 429, retryAfter: '1' });
    expect(await send('192.0.2.2', 'x=1&x=1')).toEqual({ status: 400, retryAfter: undefined });
  },
);

claim('API4', 'A form to /oauth/ of more than 8,192 characters is refused before its fields are read.', async () => {
  const send = setUp();
  expect((await send('192.0.2.1', `x=${'1'.repeat(8_190)}`)).status).toBe(401);
  expect((await send('192.0.2.1', `x=${'1'.repeat(8_191)}`)).status).toBe(400);
});
