import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { Controller, Get, Module, Req } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { claim } from '../../test/support/claim.js';
import { CONFIG } from '../config/config.module.js';
import { configSchema } from '../config/config.schema.js';
import { type AdmittedCaller, Callers } from '../http/admission/callers.js';
import { Answer } from '../http/answer.js';
import { contextOf } from '../http/context.decorator.js';
import { ORIGIN_REGISTRY } from '../http/cors.js';
import { createApp } from '../http/create-app.js';
import { REQUEST_RECORDER } from '../http/request-recorder.js';
import { UnreadAnswers } from '../http/unread-answers.js';
import { VERSION_ROUTER } from '../http/version-router.js';
import { ProductsService } from '../products/products.service.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import type { ApplicationPolicy } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { Tracer } from '../tracing/tracer.js';
import { BearerGuard } from './bearer.guard.js';
import { BearerStrategy } from './bearer.strategy.js';
import { mintToken, tokenDigest } from './credentials.js';
import { FormerTokens } from './former-tokens.js';
import { Public } from './public.decorator.js';

const config = configSchema.parse({ environment: 'sandbox', secret: 'a-secret-of-the-bearer-tests-0123456789' });
const store = new MemoryStore(60_000);
const policy: ApplicationPolicy = {
  accountId: 'acc_1',
  applicationId: 'app_1',
  clientId: 'client-1',
  environment: 'sandbox',
  products: [],
  limits: { application: { perMinute: 60, burst: 10 } },
};

@Controller()
class Routes {
  /** Knows its caller by other credentials, as the token operations do. */
  @Get('token')
  @Public()
  token(@Req() request: FastifyRequest): Answer {
    contextOf(request).admit(policy);
    return Answer.json(200, {});
  }

  @Get('api')
  api(): Answer {
    return Answer.json(200, {});
  }
}

@Module({
  controllers: [Routes],
  providers: [
    BearerStrategy,
    FormerTokens,
    { provide: APP_GUARD, useClass: BearerGuard },
    { provide: STORE, useValue: store },
    { provide: CONFIG, useValue: config },
    { provide: ProductsService, useValue: { costOf: () => 1 } },
    { provide: VERSION_ROUTER, useValue: { route: () => undefined } },
    { provide: ORIGIN_REGISTRY, useValue: { isRegistered: () => false } },
    { provide: REQUEST_RECORDER, useValue: { wantsSent: false, ended: () => undefined } },
    { provide: Tracer, useValue: { begin: () => undefined } },
    { provide: UnreadAnswers, useValue: new UnreadAnswers(config.http) },
  ],
})
class TestModule {}

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await createApp(TestModule, config, pino({ level: 'silent' }), () => undefined);
  await app.listen(0, '127.0.0.1');
});
afterAll(() => app.close());

claim(
  'API4',
  'Under overload, a caller is known by an access token that was accepted; an invented Authorization header replaces no known caller.',
  async () => {
    const learn = jest.spyOn(Callers.prototype, 'learn');
    const [token, unknown] = [mintToken(policy, 'sandbox'), mintToken(policy, 'sandbox')];
    const record = { ...policy, digest: tokenDigest(token), lifetimeMs: 60_000 };
    await store.saveToken(record, policy, 10);
    const statuses: number[] = [];
    for (const [path, authorization] of [
      ['token', 'Bearer invented'],
      ['token', 'Basic aW52ZW50ZWQ6'],
      ['token', `Bearer ${unknown}`],
      ['api', `Bearer ${unknown}`],
      ['api', `Bearer ${token}`],
    ] as const) {
      const answer = await fetch(`${await app.getUrl()}/${path}`, { headers: { authorization } });
      statuses.push(answer.status);
      await answer.arrayBuffer();
    }
    expect(statuses).toEqual([200, 200, 200, 401, 200]);
    expect(learn.mock.calls).toEqual([[token, 'acc_1']]);
  },
);

claim(
  'API4',
  "Under overload, a token counts as its account only while it is accepted: after the first request with one that was revoked or expired, or to a page that doesn't check tokens, it is unknown.",
  async () => {
    const of = jest.spyOn(Callers.prototype, 'of');
    const [token, other] = [mintToken(policy, 'sandbox'), mintToken(policy, 'sandbox')];
    for (const one of [token, other])
      await store.saveToken({ ...policy, digest: tokenDigest(one), lifetimeMs: 60_000 }, policy, 10);
    const knew = async (path: string, authorization: string): Promise<boolean | undefined> => {
      await (await fetch(`${await app.getUrl()}/${path}`, { headers: { authorization } })).arrayBuffer();
      const { value } = of.mock.results.at(-1) ?? {};
      return (value as AdmittedCaller | undefined)?.isKnown;
    };
    expect([await knew('api', `Bearer ${token}`), await knew('api', `bearer  ${token}`)]).toEqual([false, true]);
    // A failure of the store says nothing about the token.
    jest.spyOn(store, 'admit').mockRejectedValueOnce(new Error('the store failed'));
    expect([await knew('api', `Bearer ${token}`), await knew('api', `Bearer ${token}`)]).toEqual([true, true]);
    await store.revoke(policy, tokenDigest(token));
    expect([await knew('api', `Bearer ${token}`), await knew('api', `Bearer ${token}`)]).toEqual([true, false]);
    // No token is checked there, so that a revoked one would stay known.
    for (const path of ['token', 'nowhere']) {
      expect([await knew('api', `Bearer ${other}`), await knew('api', `Bearer ${other}`)]).toEqual([false, true]);
      expect([await knew(path, `Bearer ${other}`), await knew(path, `Bearer ${other}`)]).toEqual([true, false]);
    }
  },
);
