import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.schema.js';
import { type Database, openConfigured } from '../database/database.js';
import { RedisStore } from '../store/redis/redis-store.js';
import { tell } from './terminal.js';

/**
 * Throws if no gateway database exists, so that a command in the wrong folder doesn't create one with its own keys.
 * Call it before loading keys.
 */
export function refuseNewDatabase({ databaseUrl, dataFolder }: Config): void {
  if (databaseUrl !== undefined || existsSync(join(dataFolder, 'database'))) return;
  throw new Error(
    `there is no database in ${dataFolder}: start the gateway once, set DATA_DIR to its data folder, or set DATABASE_URL`,
  );
}

/** Opens the database of this configuration. Throws if no gateway has created it yet. */
export async function openGatewayDatabase(config: Config): Promise<Database> {
  refuseNewDatabase(config);
  return openConfigured(config, tell);
}

/** Connects to the Redis of the gateways; undefined if each gateway keeps tokens and sessions in its own memory. */
export async function openSharedStore({ environment, redisUrl, store }: Config): Promise<RedisStore | undefined> {
  if (redisUrl === undefined) return undefined;
  const redis = new RedisStore(redisUrl, {
    environment,
    commandTimeoutMs: store.commandTimeoutMs,
    // Commands don't admit calls, so there are no leases to renew.
    leaseMs: 0,
    onError: (error) => tell(`the token store is unavailable: ${error.message}`),
  });
  await redis.connect();
  return redis;
}
