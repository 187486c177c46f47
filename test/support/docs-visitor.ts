import { createHash, randomBytes } from 'node:crypto';
import type { BrowserContext } from 'playwright-core';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import { type PostgresServer, startPostgres } from './postgres.js';
import { type RedisServer, startRedis } from './redis.js';
import { type Running, runGateway } from './run-gateway.js';
import type { GatewayOptions } from './start-gateway.js';

/** A gateway on PostgreSQL and Redis, and the Cookie header of a person who owns the application `demo` and is logged in. */
export interface Visited extends Running {
  readonly cookie: string;
}

/** Runs a gateway with a visitor around all tests of the surrounding describe. */
export function runVisitedGateway({ env, config }: Pick<GatewayOptions, 'env' | 'config'> = {}): () => Visited {
  let servers: { readonly postgres: PostgresServer; readonly redis: RedisServer } | undefined;
  let cookie = '';
  const up = (): NonNullable<typeof servers> => {
    if (!servers) throw new Error('the servers run only inside tests');
    return servers;
  };
  beforeAll(async () => {
    servers = { postgres: await startPostgres(), redis: await startRedis() };
  });
  const running = runGateway(() => ({
    env: { DATABASE_URL: up().postgres.url, REDIS_URL: up().redis.url, ...env },
    ...(config ? { config } : {}),
  }));
  beforeAll(async () => {
    await up().postgres.query(
      `insert into accounts (id, name, tier, email, verified_at) values ('acc_demo', 'Ada Sample', 'standard', 'ada@example.com', now())
       on conflict (id) do update set name = excluded.name, email = excluded.email, verified_at = excluded.verified_at`,
    );
    cookie = await logIn(up().redis.url);
  });
  afterAll(async () => {
    await servers?.postgres.dispose();
    await servers?.redis.dispose();
  });
  return () => ({ ...running(), cookie });
}

/** Makes a browser window that of the visitor. */
export async function carry(context: BrowserContext, { cookie, gateway }: Visited): Promise<void> {
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([
    { name, value, url: gateway.baseUrl.replace('http:', 'https:'), secure: true, httpOnly: true, sameSite: 'Lax' },
  ]);
}

async function logIn(redisUrl: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const store = new RedisStore(redisUrl, {
    commandTimeoutMs: 1_000,
    leaseMs: 0,
    onError: (error) => {
      throw error;
    },
  });
  await store.connect();
  const now = Date.now();
  const digest = createHash('sha256').update(secret).digest('base64url');
  await store.saveSession(digest, { accountId: 'acc_demo', createdAtMs: now, confirmedAtMs: now }, 3_600_000);
  await store.close();
  return `__Host-forecourt=demo.${secret}`;
}
