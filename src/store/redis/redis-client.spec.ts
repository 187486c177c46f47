import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { describeWith, findBinary } from '../../../test/support/binaries.js';
import { type Child, freePort, plainEnvironment, startChild } from '../../../test/support/child.js';
import { type RedisServer, startRedis } from '../../../test/support/redis.js';
import { until } from '../../../test/support/redis-cluster.js';
import { closeRedis, redisClient } from './redis-client.js';

const options = { commandTimeoutMs: 2_000, onError: () => undefined };

describeWith('redis-server')('a client of Redis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-sentinel-'));
  const clients: Redis[] = [];
  let redis: RedisServer;
  let other: Redis;
  let sentinel: Child | undefined;
  beforeAll(async () => {
    redis = await startRedis();
    other = new Redis(redis.url);
  });
  afterAll(async () => {
    clients.forEach(closeRedis);
    other.disconnect();
    await Promise.all([sentinel?.stop('SIGKILL'), redis.dispose()]);
    rmSync(folder, { recursive: true, force: true });
  });
  const clientOf = async (url: string): Promise<Redis> => {
    const client = redisClient(url, options) as Redis;
    clients.push(client);
    await client.connect();
    return client;
  };

  test('follows Sentinels that announce hostnames to another master, and stays on the one that they name', async () => {
    const port = await freePort();
    const names = 'sentinel resolve-hostnames yes\nsentinel announce-hostnames yes';
    const watched = `sentinel monitor forecourt localhost ${redis.port} 2`;
    const file = join(folder, 'sentinel.conf');
    writeFileSync(file, `port ${port}\nbind 127.0.0.1\ndir ${folder}\n${names}\n${watched}\n`);
    const command = findBinary('redis-server') ?? 'redis-server';
    sentinel = startChild(command, [file, '--sentinel'], { cwd: folder, env: plainEnvironment() });
    await sentinel.printed('+monitor');
    // A Sentinel publishes only after a failover, so the server itself is listed as a second one, whose messages belong to this test.
    const client = await clientOf(`redis+sentinel://127.0.0.1:${port},127.0.0.1:${redis.port}/forecourt`);
    const connection = () => client.client('ID').catch(() => undefined);
    const first = await connection();
    const publish = (named: number) =>
      until(async () => (await other.publish('+switch-master', `forecourt 127.0.0.1 1 localhost ${named}`)) === 1);
    await publish(redis.port);
    await wait(300);
    expect(await connection()).toBe(first);
    await publish(redis.port + 1);
    await until(async () => ![undefined, first].includes(await connection()));
  });

  test('stays with a primary that refuses writes because it has no replica', async () => {
    const client = await clientOf(redis.url);
    const connection = () => client.client('ID');
    const first = await connection();
    await other.config('SET', 'min-replicas-to-write', 1);
    const write = () => client.set('key', 'value').catch((error: Error) => error.message);
    for (let answers = 0; answers < 5; answers += 1) expect(await write()).toMatch(/^NOREPLICAS/);
    await wait(50);
    expect(await connection()).toBe(first);
    await other.config('SET', 'min-replicas-to-write', 0);
    expect(await write()).toBe('OK');
  });

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
