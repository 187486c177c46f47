import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { describeWith } from '../../../test/support/binaries.js';
import { type RedisServer, startRedis } from '../../../test/support/redis.js';
import { until } from '../../../test/support/redis-cluster.js';
import { closeRedis, redisClient } from './redis-client.js';

const options = { commandTimeoutMs: 2_000, onError: () => undefined };

describeWith('redis-server')('a client of Redis', () => {
  const clients: Redis[] = [];
  let redis: RedisServer;
  let other: Redis;
  beforeAll(async () => {
    redis = await startRedis();
    other = new Redis(redis.url);
  });
  afterAll(async () => {
    clients.forEach(closeRedis);
    other.disconnect();
    await redis.dispose();
  });
  const clientOf = async (url: string): Promise<Redis> => {
    const client = redisClient(url, options) as Redis;
    clients.push(client);
    await client.connect();
    return client;
  };

  test('leaves a server that is a replica by now, at most once a second, for the one that its name leads to', async () => {
    const client = await clientOf(redis.url);
    let connections = 1;
    client.on('connect', () => (connections += 1));
    await other.replicaof('127.0.0.1', 1);
    const write = () => client.set('key', 'value').catch((error: Error) => error.message);
    for (let answers = 0; answers < 10; await wait(5)) if ((await write()).startsWith('READONLY')) answers += 1;
    expect(connections).toBeGreaterThan(1);
    expect(connections).toBeLessThan(5);
    await other.replicaof('NO', 'ONE');
    await until(async () => (await write()) === 'OK');
  });
});
