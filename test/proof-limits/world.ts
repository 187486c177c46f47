import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { mintToken, tokenDigest } from '../../src/auth/credentials.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import type { ApplicationPolicy } from '../../src/store/store.js';
import { type Child, freePort, plainEnvironment, startChild } from '../support/child.js';
import { configFolder } from '../support/config-folder.js';
import { migratedFolder } from '../support/migrated-folder.js';
import { PROJECT } from '../support/project.js';
import { type RedisServer, startRedis } from '../support/redis.js';

const READY = 'Forecourt is ready at';
/** A busy machine must not look like an unavailable Redis. */
const COMMAND_TIMEOUT_MS = 5_000;
const TOKEN_LIFETIME_MS = 3_600_000;

/**
 * Gateways on one Redis. Applications and their tokens are written directly to it, with any limit and without a
 * database.
 */
export interface LimitsWorld {
  readonly redis: RedisServer;
  readonly ports: readonly number[];
  /** Writes a live token of the application to Redis, again after each loss. */
  put(policy: ApplicationPolicy, token: string): Promise<void>;
  /** Gateways whose process is running. */
  alive(): number;
  dispose(): Promise<void>;
}

/** A token of an application. */
export function tokenOf(policy: ApplicationPolicy): string {
  return mintToken(policy, policy.environment);
}

/** Starts Redis and the gateways. Rejects if redis-server is missing. */
export async function startWorld(gateways: number): Promise<LimitsWorld> {
  const config = configFolder({ settings: { store: { commandTimeoutMs: COMMAND_TIMEOUT_MS } } });
  const redis = await startRedis();
  const env = {
    CONFIG_DIR: config,
    REDIS_URL: redis.url,
    FORECOURT_SECRET: 'a-secret-of-the-limits-proof-0123456789',
    LOG_LEVEL: 'error',
  };
  const folders = await Promise.all(Array.from({ length: gateways }, () => migratedFolder()));
  const running = await Promise.all(folders.map((folder) => start(folder, env)));
  const store = new RedisStore(redis.url, {
    environment: 'sandbox',
    commandTimeoutMs: COMMAND_TIMEOUT_MS,
    leaseMs: 1,
    onError: () => undefined,
  });
  await store.connect();
  return {
    redis,
    ports: running.map(({ port }) => port),
    put: (policy, token) =>
      store.saveToken(
        {
          accountId: policy.accountId,
          applicationId: policy.applicationId,
          digest: tokenDigest(token),
          lifetimeMs: TOKEN_LIFETIME_MS,
        },
        policy,
        10,
      ),
    alive: () =>
      running.filter(({ child }) => child.process.exitCode === null && child.process.signalCode === null).length,
    dispose: async () => {
      await store.close();
      await Promise.all(running.map(({ child }) => child.stop('SIGKILL')));
      await redis.dispose();
      for (const path of [...folders, config]) rmSync(path, { recursive: true, force: true });
    },
  };
}

async function start(folder: string, env: Readonly<Record<string, string>>): Promise<{ child: Child; port: number }> {
  const port = await freePort();
  const child = startChild(process.execPath, [join(PROJECT, 'dist', 'main.js')], {
    cwd: PROJECT,
    env: { ...plainEnvironment(), ...env, DATA_DIR: folder, PORT: String(port) },
  });
  await child.printed(READY, 60_000);
  return { child, port };
}
