import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { keysOf } from '../../src/store/redis/keys.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import { LEASE_MS, storeContract } from '../../src/store/store.contract.js';
import { describeWith, findBinary } from '../support/binaries.js';
import { freePort, startChild } from '../support/child.js';

const isHere = findBinary('redis-server') !== undefined;
const folder = mkdtempSync(join(tmpdir(), 'forecourt-cluster-'));
let url = '';
let stop: () => Promise<unknown> = async () => undefined;
beforeAll(async () => {
  if (!isHere) return;
  const port = await freePort();
  const options = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--cluster-enabled',
    'yes',
    '--dir',
    folder,
  ].map(String);
  const child = startChild('redis-server', options);
  stop = () => child.stop();
  await child.printed('Ready to accept connections');
  url = `redis://127.0.0.1:${port}`;
  await takeAllSlots(url);
}, 30_000);
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

if (isHere) {
  storeContract('RedisStore on a node of a Redis Cluster', async () => {
    const store = new RedisStore(url, {
      environment: 'sandbox',
      commandTimeoutMs: 2_000,
      leaseMs: LEASE_MS,
      onError: () => undefined,
    });
    await store.connect();
    return { store, advance: (ms) => wait(ms) };
  });
}

describeWith('redis-server')('a node of a Redis Cluster', () => {
  let redis: Redis;
  beforeAll(() => {
    redis = new Redis(url);
  });
  afterAll(() => redis.disconnect());
  const own = keysOf('sandbox', { accountId: 'acc_one', applicationId: 'app_one' });
  const sibling = keysOf('sandbox', { accountId: 'acc_one', applicationId: 'app_two' });
  const other = keysOf('sandbox', { accountId: 'acc_two', applicationId: 'app_one' });

  test('all keys of an account are in one slot; another account has another slot', async () => {
    const slotsOf = (keys: ReturnType<typeof keysOf>) =>
      Promise.all(
        [keys.policy, keys.live, keys.token('d'), ...keys.used('d'), ...keys.underWay('d')].map((key) =>
          redis.cluster('KEYSLOT', key),
        ),
      );
    const slots = [...(await slotsOf(own)), ...(await slotsOf(sibling))];
    expect(new Set(slots).size).toBe(1);
    expect(new Set(await slotsOf(other))).not.toEqual(new Set(slots));
  });

  test('Redis rejects a script over the keys of two accounts', async () => {
    await expect(redis.eval('return 1', 2, own.policy, other.policy)).rejects.toThrow('CROSSSLOT');
    await expect(redis.eval('return 1', 2, own.policy, sibling.policy)).resolves.toBe(1);
  });

  // A node that owns all slots lets a script access undeclared keys; a cluster of several nodes would not.
  test('no method accesses a key outside the account’s slot, declared or not', async () => {
    const store = new RedisStore(url, {
      environment: 'sandbox',
      commandTimeoutMs: 2_000,
      leaseMs: LEASE_MS,
      onError: () => undefined,
    });
    await store.connect();
    const monitor = await redis.monitor();
    const keys: string[] = [];
    monitor.on('monitor', (_time: string, [, key]: string[], source: string) => {
      if (source === 'lua' && key !== undefined) keys.push(key);
    });
    const limit = { perMinute: 60, burst: 5, perDay: 5, concurrent: 1 };
    const owner = { accountId: 'acc_one', applicationId: 'app_one' };
    const limits = { account: limit, application: limit, token: limit };
    const policy = { ...owner, clientId: 'client', environment: 'sandbox', limits, products: [] } as const;
    for (const digest of ['a', 'b', 'c']) await store.saveToken({ ...owner, digest, lifetimeMs: 60_000 }, policy, 2);
    await store.savePolicy(policy);
    const admission = await store.admit(owner, 'c', 1);
    if (admission.known && admission.place) await store.release(admission.place);
    await store.inspect(owner, 'c');
    await store.revoke(owner, 'c');
    await store.revokeAll(owner);
    await store.close();
    const marked = new Promise<void>((resolve) => {
      monitor.on('monitor', (_time: string, [name]: string[]) => name?.toLowerCase() === 'echo' && resolve());
    });
    await redis.echo('mark');
    await marked;
    monitor.disconnect();
    const touched = [...new Set(keys)];
    expect(touched.length).toBeGreaterThanOrEqual(11);
    const slots = await Promise.all(touched.map((key) => redis.cluster('KEYSLOT', key)));
    expect(new Set(slots)).toEqual(new Set([await redis.cluster('KEYSLOT', own.policy)]));
  });
});

async function takeAllSlots(address: string): Promise<void> {
  const redis = new Redis(address);
  await redis.cluster('ADDSLOTSRANGE', 0, 16_383);
  while (!String(await redis.cluster('INFO')).includes('cluster_state:ok')) await wait(50);
  redis.disconnect();
}
