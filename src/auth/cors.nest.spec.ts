import { readFileSync } from 'node:fs';
import { Controller, Get, Module, Req } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { CONFIG } from '../config/config.module.js';
import { configSchema } from '../config/config.schema.js';
import { Answer } from '../http/answer.js';
import { ANSWER_HEADERS_EXPOSED, ORIGIN_REGISTRY, REQUEST_HEADERS_ALLOWED } from '../http/cors.js';
import { createApp } from '../http/create-app.js';
import { REQUEST_RECORDER } from '../http/request-recorder.js';
import { UnreadAnswers } from '../http/unread-answers.js';
import { VERSION_ROUTER } from '../http/version-router.js';
import { ProductsService } from '../products/products.service.js';
import { ApiError } from '../status/api-error.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import { STORE } from '../store/store.module.js';
import { operations } from '../system/api-operations.js';
import { Tracer } from '../tracing/tracer.js';
import { BearerGuard } from './bearer.guard.js';
import { BearerStrategy } from './bearer.strategy.js';
import { mintToken, tokenDigest } from './credentials.js';
import { FormerTokens } from './former-tokens.js';

const config = configSchema.parse({});
const store = new MemoryStore(1_000);
const SHOP = 'https://shop.example.com';
const owner = { accountId: 'acc_cors', applicationId: 'app_cors' };
const policy = {
  ...owner,
  clientId: 'c',
  environment: 'sandbox',
  limits: { application: { perMinute: 6_000, burst: 500 } },
  products: [],
} as const;

@Controller()
class Routes {
  @Get('cars/list/v1')
  list(): Answer {
    return new Answer(200, '[]', { vary: 'authorization' });
  }

  @Get('cars/plain/v1')
  plain(): object {
    return {};
  }

  @Get('cars/refused/v1')
  refused(@Req() { url }: FastifyRequest): never {
    throw ApiError.of('invalid_request', url);
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
    { provide: ORIGIN_REGISTRY, useValue: { isRegistered: async (origin: string) => origin === SHOP } },
    { provide: REQUEST_RECORDER, useValue: { wantsSent: false, ended: () => undefined } },
    { provide: Tracer, useValue: { begin: () => undefined } },
    { provide: UnreadAnswers, useValue: new UnreadAnswers(config.http) },
  ],
})
class TestModule {}

let app: NestFastifyApplication;
const token = mintToken(policy, 'sandbox');
beforeAll(async () => {
  app = await createApp(TestModule, config, pino({ level: 'silent' }), () => undefined);
  await app.listen(0, '127.0.0.1');
  await store.saveToken({ ...owner, digest: tokenDigest(token), lifetimeMs: 60_000 }, policy, 10);
});
afterAll(() => app.close());
beforeEach(() => store.savePolicy({ ...policy, allowedOrigins: [SHOP, 'https://other.example'] }));

/** The headers of CORS, and Vary, of an answer; undefined = not there. */
async function ask(path: string, headers: Record<string, string>, method = 'GET') {
  const { status, headers: got } = await fetch(`${await app.getUrl()}/cars/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  const named = (name: string) => got.get(name) ?? undefined;
  return {
    status,
    origin: named('access-control-allow-origin'),
    exposed: named('access-control-expose-headers'),
    vary: named('vary'),
    all: [...got.keys()].filter((name) => name.startsWith('access-control')),
  };
}

const preflight = { origin: SHOP, 'access-control-request-method': 'GET' };

test('a page may read every header that the SDK reads', () => {
  const source = readFileSync(new URL('../../packages/sdk/src/errors.ts', import.meta.url), 'utf8');
  const read = [...source.matchAll(/headers\.get\('([^']+)'\)/g)].map(([, name]) => name);
  expect(read).toContain('idempotent-retry');
  expect(ANSWER_HEADERS_EXPOSED.map((name) => name.toLowerCase())).toEqual(expect.arrayContaining(read));
});

test.each([
  ['list/v1', 200, 'authorization, Origin'],
  ['plain/v1', 200, 'Origin'],
  ['refused/v1', 400, 'Origin'],
])('a page of an origin of the application may read the answer of %s', async (path, status, vary) => {
  const exposed = ANSWER_HEADERS_EXPOSED.join(', ');
  for (const method of ['GET', 'HEAD'])
    expect(await ask(path, { origin: SHOP }, method)).toMatchObject({ status, origin: SHOP, exposed, vary });
});

test.each(['https://evil.example', 'null', `${SHOP}:8443`, 'https://SHOP.example.com', `${SHOP}, ${SHOP}`])(
  'a page of %s may not, and the answer says that it depends on the origin',
  async (origin) => {
    for (const path of ['list/v1', 'refused/v1']) {
      const { all, vary } = await ask(path, { origin });
      expect([all, vary?.endsWith('Origin')]).toEqual([[], true]);
    }
  },
);

test('without an Origin header, no page is named', async () => {
  expect(await ask('plain/v1', {})).toMatchObject({ status: 200, all: [], vary: 'Origin' });
});

test('responses to an application without origins have no CORS headers', async () => {
  await store.savePolicy(policy);
  expect(await ask('plain/v1', { origin: SHOP })).toMatchObject({ status: 200, all: [], vary: undefined });
});

test('without a valid token, no page may read the answer', async () => {
  const { status, all } = await ask('plain/v1', { origin: SHOP, authorization: 'Bearer invented' });
  expect([status, all]).toEqual([401, []]);
});

test('a preflight needs no token, and allows the methods and headers of the API to a registered origin', async () => {
  const { status, headers } = await fetch(`${await app.getUrl()}/cars/plain/v1`, {
    method: 'OPTIONS',
    headers: preflight,
  });
  expect([status, Object.fromEntries(headers)]).toMatchObject([
    204,
    {
      allow: 'OPTIONS, GET, HEAD',
      vary: 'Origin, Access-Control-Request-Method',
      'access-control-allow-origin': SHOP,
      'access-control-allow-methods': 'OPTIONS, GET, HEAD',
      'access-control-allow-headers': REQUEST_HEADERS_ALLOWED.join(', '),
      'access-control-max-age': '600',
    },
  ]);
});

test('a preflight of another origin, and another OPTIONS, get no permission', async () => {
  const other = await ask('plain/v1', { ...preflight, origin: 'https://evil.example' }, 'OPTIONS');
  expect(other).toMatchObject({ status: 204, all: [] });
  expect(await ask('plain/v1', { origin: SHOP }, 'OPTIONS')).toMatchObject({ status: 204, all: [], vary: undefined });
});

test('pages may send every header that the description of the API names, and the token', () => {
  const named = operations
    .filter(({ paths }) => paths.some((path) => path.startsWith('/cars/')))
    .flatMap(({ headers = [] }) => headers.map(({ name }) => String(name).toLowerCase()));
  /** Browsers allow them by themselves. */
  const SAFE = ['accept', 'accept-language'];
  const allowed = REQUEST_HEADERS_ALLOWED.map((name) => name.toLowerCase());
  expect([...new Set(named)].filter((name) => !SAFE.includes(name) && !allowed.includes(name))).toEqual([]);
  expect(allowed).toContain('authorization');
});
