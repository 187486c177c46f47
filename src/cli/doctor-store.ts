import { Redis } from 'ioredis';
import type { Config } from '../config/config.schema.js';
import { parseRedisUrl, type RedisAddress } from '../config/redis-url.js';
import { withoutPassword } from '../config/setting-sources.js';
import { closeRedis, type RedisClient, redisClient } from '../store/redis/redis-client.js';
import { RedisStore } from '../store/redis/redis-store.js';
import { StoreUnavailableError } from '../store/store.js';
import { clockFinding, type Finding, fine, reasonOf, wrong } from './finding.js';

const LEASE_MS = 1_000;
const KINDS: Readonly<Record<RedisAddress['kind'], string>> = {
  single: 'a single server',
  sentinel: 'a server found by Sentinels',
  cluster: 'a Redis Cluster',
};

/**
 * Checks that the token store answers, that its scripts run on every master, that the URL fits what it points to, and that
 * the clocks of the masters are accurate.
 */
export async function checkStore({ environment, redisUrl, store: { commandTimeoutMs } }: Config): Promise<Finding[]> {
  if (redisUrl === undefined) return [fine('store', 'in memory; tokens and limits are lost when the gateway stops')];
  const where = withoutPassword(redisUrl);
  const options = { commandTimeoutMs, onError: () => undefined };
  const client = redisClient(redisUrl, options);
  const store = new RedisStore(redisUrl, { ...options, environment, leaseMs: LEASE_MS });
  try {
    await client.connect();
    const masters = client instanceof Redis ? [client] : client.nodes('master');
    const clocks = await Promise.all(masters.map(clockOf));
    if (await isNodeOfCluster(client)) {
      const { hostname, port } = new URL(redisUrl);
      const todo = `set REDIS_URL=redis+cluster://${hostname}:${port || 6_379}, with user and password as before`;
      return [wrong('store', `${where} is one node of a Redis Cluster, and most keys belong to other nodes`, todo)];
    }
    const policies = await Promise.all(masters.map(evictionOf));
    const evicts = policies.find((policy) => policy !== undefined);
    if (evicts !== undefined) {
      const found = `${where} drops keys when its memory is full (maxmemory-policy ${evicts}): limits start again, and logins and tokens end`;
      return [wrong('store', found, 'set maxmemory-policy noeviction')];
    }
    await store.connect();
    await store.ping();
    const size = client instanceof Redis ? '' : ` with ${masters.length} masters`;
    const kind = `${KINDS[parseRedisUrl(redisUrl).kind]}${size}`;
    return [fine('store', `${where} is ${kind}, answers and runs scripts`), ...oneOrWrong(clocks)];
  } catch (error) {
    const why = reasonOf(error instanceof StoreUnavailableError ? error.cause : error);
    const todo = 'start Redis or correct REDIS_URL; its user must be allowed to run scripts';
    return [wrong('store', `${where} is not usable: ${why}`, todo)];
  } finally {
    closeRedis(client);
    await store.close();
  }
}

async function clockOf(redis: Redis): Promise<Finding> {
  const askedAt = Date.now();
  const [seconds, microseconds] = await redis.time();
  return clockFinding('store', Number(seconds) * 1_000 + Number(microseconds) / 1_000, askedAt, Date.now());
}

/** A user who may not read INFO is not checked. */
async function isNodeOfCluster(client: RedisClient): Promise<boolean> {
  if (!(client instanceof Redis)) return false;
  return (await client.info('cluster').catch(() => '')).includes('cluster_enabled:1');
}

/** The policy by which a server drops keys; undefined = it drops none, or its user may not read INFO. */
async function evictionOf(redis: Redis): Promise<string | undefined> {
  const memory = await redis.info('memory').catch(() => '');
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
  return policy === 'noeviction' || /^maxmemory:0\s/m.test(memory) ? undefined : policy;
}

/** The clocks that are wrong, otherwise the first. */
function oneOrWrong(clocks: readonly Finding[]): readonly Finding[] {
  const off = clocks.filter(({ ok }) => !ok);
  return off.length > 0 ? off : clocks.slice(0, 1);
}
