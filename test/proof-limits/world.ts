import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintToken, tokenDigest } from '../../src/auth/credentials.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import type { ApplicationPolicy } from '../../src/store/store.js';
import { type Child, freePort, plainEnvironment, startChild } from '../support/child.js';
import { configFolder } from '../support/config-folder.js';
import { freshDatabase, hasSharedPostgres } from '../support/database.js';
import { migratedFolder } from '../support/migrated-folder.js';
import { PROJECT } from '../support/project.js';
import { type RedisServer, startRedis } from '../support/redis.js';

const READY = 'Forecourt is ready at';
/** A busy machine must not look like an unavailable Redis. */
const COMMAND_TIMEOUT_MS = 5_000;
const TOKEN_LIFETIME_MS = 3_600_000;

/**
 * Gateways on one Redis. Applications and their tokens are written directly to it, with any limit; no database knows
 * them.
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
  const config = configFolder({
    settings: { store: { commandTimeoutMs: COMMAND_TIMEOUT_MS } },
    onlyTheseSuppliers: true,
    // No call reaches a supplier, so no simulators need to start.
    suppliers: { uno: { name: 'Uno', adapter: 'ota-xml', url: 'http://127.0.0.1:9', brands: ['Uno'] } },
  });
  const redis = await startRedis();
  // Jest's server if it runs: a gateway starts faster on it than with a database of its own.
  const database = hasSharedPostgres ? await freshDatabase() : undefined;
  const env = {
    CONFIG_DIR: config,
    REDIS_URL: redis.url,
    FORECOURT_SECRET: 'a-secret-of-the-limits-proof-0123456789',
    LOG_LEVEL: 'error',
    METRICS_PORT: '0',
    ...(database ? { DATABASE_URL: database.url, SMTP_URL: 'smtp://127.0.0.1:9' } : {}),
  };
  const folders = await Promise.all(
    Array.from({ length: gateways }, () =>
      database ? mkdtemp(join(tmpdir(), 'forecourt-limits-')) : migratedFolder(),
    ),
  );
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
      await database?.dispose();
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
