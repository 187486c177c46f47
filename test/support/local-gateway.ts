import { QUICK, SECRET } from './booking.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { type RedisServer, startRedis } from './redis.js';
import { type Running, runGateway } from './run-gateway.js';

/** A gateway with a PostgreSQL database and a Redis of its own. */
export interface LocalGateway extends Running {
  readonly postgres: TestDatabase;
  readonly redis: RedisServer;
}

/**
 * Runs a gateway with the settings of the shared one around all tests of the surrounding describe, but one that trusts no proxy:
 * as only this machine can use it, it sends webhooks to loopback addresses.
 */
export function localGateway(): () => LocalGateway {
  let servers: { readonly postgres: TestDatabase; readonly redis: RedisServer } | undefined;
  const started = (): NonNullable<typeof servers> => {
    if (!servers) throw new Error('the servers run only inside tests');
    return servers;
  };
  beforeAll(async () => {
    servers = { postgres: await freshDatabase(), redis: await startRedis() };
  });
  const running = runGateway(() => ({
    env: { DATABASE_URL: started().postgres.url, REDIS_URL: started().redis.url, FORECOURT_SECRET: SECRET },
    config: QUICK,
  }));
  afterAll(async () => {
    await servers?.postgres.dispose();
    await servers?.redis.dispose();
  });
  return () => ({ ...running(), ...started() });
}
