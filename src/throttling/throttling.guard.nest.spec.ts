import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type CanActivate, Controller, type ExecutionContext, Get, Inject, Injectable, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SkipThrottle } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import type { Principal } from '../auth/principal.js';
import { CONFIG } from '../config/config.module.js';
import { configSchema } from '../config/config.schema.js';
import { ErrorFilter } from '../http/error.filter.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import { type ApplicationPolicy, type Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { ThrottlingGuard } from './throttling.guard.js';
import { ThrottlingModule } from './throttling.module.js';

const DIGEST = 'digest-of-the-token';
const policy: ApplicationPolicy = {
  accountId: 'acc_1',
  applicationId: 'app_1',
  clientId: 'client-1',
  environment: 'sandbox',
  products: [],
  limits: { application: { perMinute: 60, burst: 2 } },
};

/** The store call of the bearer guard, without the credentials. */
@Injectable()
class AdmittingGuard implements CanActivate {
  constructor(@Inject(STORE) private readonly store: Store) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { user?: Principal }>();
    if (request.url !== '/api') return true;
    const admission = await this.store.admit(policy, DIGEST, 1);
    if (admission.known) request.user = admission;
    return true;
  }
}

@Controller()
class Routes {
  @Get('api')
  api(): string {
    return 'served';
  }

  @Get('token')
  token(): string {
    return 'served';
  }

  @Get('free')
  @SkipThrottle()
  free(): string {
    return 'served';
  }
}

@Module({
  imports: [ThrottlingModule],
  controllers: [Routes],
  providers: [
    { provide: APP_GUARD, useClass: AdmittingGuard },
    { provide: APP_GUARD, useClass: ThrottlingGuard },
  ],
})
class TestModule {}

@Module({})
class Globals {}

describe('ThrottlingGuard', () => {
  const nowMs = Date.UTC(2026, 5, 1, 12);
  const store = new MemoryStore(60_000, () => nowMs);
  let app: NestFastifyApplication;

  beforeAll(async () => {
    await store.saveToken(
      { accountId: 'acc_1', applicationId: 'app_1', digest: DIGEST, lifetimeMs: 60_000 },
      policy,
      10,
    );
    const config = configSchema.parse({ throttling: { tokenOperation: { perMinute: 30, burst: 2 } } });
    const providers = [
      { provide: CONFIG, useValue: config },
      { provide: STORE, useValue: store },
    ];
    const globals = { module: Globals, global: true, providers, exports: [CONFIG, STORE] };
    app = await NestFactory.create<NestFastifyApplication>(
      { module: TestModule, imports: [globals] },
      new FastifyAdapter(),
      { logger: false },
    );
    app.useGlobalFilters(new ErrorFilter(pino({ level: 'silent' }), () => undefined));
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${await app.getUrl()}${path}`, { headers });
    return {
      status: answer.status,
      limit: answer.headers.get('ratelimit'),
      retryAfter: answer.headers.get('retry-after'),
    };
  };

  test('uses the decision that admitted an authenticated call, without counting it again', async () => {
    expect([await get('/api'), await get('/api'), await get('/api')]).toEqual([
      { status: 200, limit: '"application";r=1;t=1', retryAfter: null },
      { status: 200, limit: '"application";r=0;t=2', retryAfter: null },
      { status: 429, limit: '"application";r=0;t=2', retryAfter: '1' },
    ]);
  });

  test('counts a public call by client_id and address, with the configured limit', async () => {
    const headers = { client_id: 'client-1' };
    expect([await get('/token', headers), await get('/token', headers), await get('/token', headers)]).toEqual([
      { status: 200, limit: '"token";r=1;t=2', retryAfter: null },
      { status: 200, limit: '"token";r=0;t=4', retryAfter: null },
      { status: 429, limit: '"token";r=0;t=4', retryAfter: '2' },
    ]);
    expect((await get('/token', { client_id: 'client-2' })).status).toBe(200);
    expect((await get('/token', { 'client-id': 'client-1' })).status).toBe(429);
  });

  test('ignores routes that skip throttling', async () => {
    expect(await get('/free')).toEqual({ status: 200, limit: null, retryAfter: null });
  });
});
