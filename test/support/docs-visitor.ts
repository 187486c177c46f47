import type { BrowserContext } from 'playwright-core';
import { freshDatabase, type TestDatabase } from './database.js';
import { type RedisServer, startRedis } from './redis.js';
import { type Running, runGateway } from './run-gateway.js';
import { browserCookie, DEMO_ACCOUNT, FORECOURT_SECRET, signIn } from './session.js';
import { sharedGateway } from './shared-gateway.js';
import type { GatewayOptions } from './start-gateway.js';

/** A gateway on PostgreSQL and Redis, and the Cookie header of a logged-in person who owns the application `demo`. */
export interface Visited extends Running {
  readonly cookie: string;
  /** Logs in another account; returns its Cookie header. */
  signIn(accountId: string): Promise<string>;
}

/** Runs a gateway with a visitor around all tests of the surrounding describe. */
export function runVisitedGateway({ env, config }: Pick<GatewayOptions, 'env' | 'config'> = {}): () => Visited {
  let servers: { readonly postgres: TestDatabase; readonly redis: RedisServer } | undefined;
  let cookie = '';
  const environment = env?.FORECOURT_ENV === 'production' ? 'production' : 'sandbox';
  const visit = (accountId: string) => signIn(up().postgres, up().redis.url, accountId, environment);
  const up = (): NonNullable<typeof servers> => {
    if (!servers) throw new Error('the servers run only inside tests');
    return servers;
  };
  beforeAll(async () => {
    servers = { postgres: await freshDatabase(), redis: await startRedis() };
  });
  const running = runGateway(() => ({
    env: { DATABASE_URL: up().postgres.url, REDIS_URL: up().redis.url, FORECOURT_SECRET, ...env },
    ...(config ? { config } : {}),
  }));
  beforeAll(async () => {
    cookie = await visit(DEMO_ACCOUNT);
  });
  afterAll(async () => {
    await servers?.postgres.dispose();
    await servers?.redis.dispose();
  });
  return () => ({ ...running(), cookie, signIn: visit });
}

/** A visitor of the gateway that specs share. */
export function visitSharedGateway(): () => Visited {
  const running = sharedGateway();
  let cookie = '';
  beforeAll(async () => {
    cookie = await signIn(running().postgres, running().redis.url, DEMO_ACCOUNT);
  });
  return () => ({
    ...running(),
    cookie,
    signIn: (accountId) => signIn(running().postgres, running().redis.url, accountId),
  });
}

/** Logs the visitor in to a browser window. */
export async function carry(context: BrowserContext, { cookie }: Visited): Promise<void> {
  await context.addCookies([browserCookie(cookie)]);
}
