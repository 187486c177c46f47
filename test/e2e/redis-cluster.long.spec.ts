import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { keysOf } from '../../src/store/redis/keys.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import { LEASE_MS, storeContract } from '../../src/store/store.contract.js';
import { StoreUnavailableError } from '../../src/store/store.js';
import { storeFault } from '../../src/store/store-fault.js';
import { describeWith, findBinary } from '../support/binaries.js';
import { monitorRedis } from '../support/redis.js';
import { type RedisCluster, slotOf, startRedisCluster, until } from '../support/redis-cluster.js';
import { startRedisSentinels } from '../support/redis-sentinel.js';

const isHere = findBinary('redis-server') !== undefined && findBinary('redis-cli') !== undefined;
const NODE_TIMEOUT_MS = 2_000;
const options = {
  environment: 'sandbox',
  commandTimeoutMs: 2_000,
  leaseMs: LEASE_MS,
  onError: () => undefined,
} as const;
let cluster: RedisCluster;
beforeAll(async () => {
  if (isHere) cluster = await startRedisCluster(NODE_TIMEOUT_MS);
}, 60_000);
afterAll(() => cluster?.dispose());

const open = async (url: string): Promise<RedisStore> => {
  const store = new RedisStore(url, options);
  await store.connect();
  return store;
};

if (isHere)
  storeContract('RedisStore on a Redis Cluster of three masters', async () => ({
    store: await open(cluster.url),
    advance: (ms) => wait(ms),
  }));

const policyOf = (accountId: string) =>
  ({
    accountId,
    applicationId: 'app_one',
    clientId: 'client',
    environment: 'sandbox',
    products: [],
    limits: { application: { perMinute: 60_000, burst: 1_000 } },
  }) as const;

/** Accounts, each with an active token `d`, and the slots of their keys. */
async function accountsIn(store: RedisStore, count: number): Promise<{ id: string; slot: number }[]> {
  const accounts = Array.from({ length: count }, (_, at) => `acc_${at}`);
  await Promise.all(
    accounts.map((id) =>
      store.saveToken({ accountId: id, applicationId: 'app_one', digest: 'd', lifetimeMs: 600_000 }, policyOf(id), 10),
    ),
  );
  return accounts.map((id) => ({ id, slot: slotOf(keysOf('sandbox', policyOf(id)).policy) }));
}

const admit = (store: RedisStore, accountId: string) => store.admit({ accountId, applicationId: 'app_one' }, 'd', 1);

describeWith('redis-server', 'redis-cli')('a Redis Cluster', () => {
  test('all keys of an account are in one slot, and accounts are spread over all masters', async () => {
    const store = await open(cluster.url);
    const accounts = await accountsIn(store, 30);
    for (const { id, slot } of accounts) {
      const keys = keysOf('sandbox', policyOf(id));
      const all = [keys.policy, keys.live, keys.token('d'), ...keys.used('d'), ...keys.underWay('d')];
      expect(new Set(all.map(slotOf))).toEqual(new Set([slot]));
    }
    const masters = await Promise.all(accounts.map(({ slot }) => cluster.masterOf(slot)));
    expect(new Set(masters).size).toBe(3);
    await store.close();
  });

  // ioredis answers a mixed pipeline with MOVED, again and again, because it doesn't update its slots then.
  test('while slots move between masters and after it, no call of a mixed burst sees MOVED, ASK or TRYAGAIN', async () => {
    const store = await open(cluster.url);
    const accounts = await accountsIn(store, 60);
    const from = await cluster.masterOf(0);
    const to = await cluster.masterOf(16_383);
    const moved = new AbortController();
    const resharding = cluster.reshard(from, to, 300).finally(() => moved.abort());
    let bursts = 0;
    for (let left = 20; left > 0; left -= moved.signal.aborted ? 1 : 0) {
      const admissions = await Promise.all(accounts.map(({ id }) => admit(store, id)));
      expect(admissions.filter(({ known }) => !known)).toEqual([]);
      bursts += 1;
    }
    await resharding;
    expect(bursts).toBeGreaterThan(20);
    await store.close();
  }, 60_000);

  test('when a master is killed, only calls of its accounts fail, and a ping fails until its replica has taken over', async () => {
    const store = await open(cluster.url);
    const accounts = await accountsIn(store, 30);
    const masters = await Promise.all(accounts.map(({ slot }) => cluster.masterOf(slot)));
    const [killed] = masters;
    await killed?.kill();
    const killedMs = performance.now();
    let failures = 0;
    await until(async () => {
      const results = await Promise.allSettled([store.ping(), ...accounts.map(({ id }) => admit(store, id))]);
      const [ping, ...calls] = results;
      const failed = calls.flatMap((call, at) => (call.status === 'rejected' ? [{ at, reason: call.reason }] : []));
      failures += failed.length;
      for (const { at, reason } of failed) {
        expect(masters[at]).toBe(killed);
        expect(reason).toBeInstanceOf(StoreUnavailableError);
        expect(storeFault(reason as StoreUnavailableError)).toBe('unavailable');
        expect(store.failedMs).toBeGreaterThan(killedMs);
      }
      if (failed.length === calls.filter((_, at) => masters[at] === killed).length)
        expect(ping?.status).toBe('rejected');
      return failed.length === 0 && ping?.status === 'fulfilled';
    });
    expect(failures).toBeGreaterThan(0);
    expect(performance.now() - killedMs).toBeLessThan(NODE_TIMEOUT_MS + 2_000 + 2_000);
    await killed?.start();
    await cluster.settled();
    await store.close();
  }, 60_000);

  test('a URL of one node is not ready, because most accounts belong to other nodes', async () => {
    const errors: string[] = [];
    const url = `redis://127.0.0.1:${cluster.nodes[0]?.port}`;
    const store = new RedisStore(url, { ...options, onError: ({ message }) => errors.push(message) });
    await store.connect();
    await until(async () => errors.length > 0);
    expect(errors).toEqual([expect.stringContaining('set redis+cluster://')]);
    await expect(store.ping()).rejects.toThrow(StoreUnavailableError);
    await store.close();
  });
});

describeWith('redis-server')('Redis with Sentinels', () => {
  test('when the master is killed, calls fail until the Sentinels name another one, which has the tokens', async () => {
    const sentinels = await startRedisSentinels(1_000);
    const store = await open(sentinels.url);
    await accountsIn(store, 1);
    const killed = await sentinels.master();
    await killed.kill();
    await expect(admit(store, 'acc_0')).rejects.toThrow(StoreUnavailableError);
    await until(() =>
      admit(store, 'acc_0').then(
        ({ known }) => known,
        () => false,
      ),
    );
    await expect(store.ping()).resolves.toBeUndefined();
    await killed.start();
    await sentinels.settled();
    await expect(sentinels.master()).resolves.not.toBe(killed);
    await store.close();
    await sentinels.dispose();
  }, 90_000);
});

describeWith('redis-server', 'redis-cli')('the scripts', () => {
  test('access only keys of the account’s slot, declared or not', async () => {
    const store = await open(cluster.url);
    const owner = { accountId: 'acc_one', applicationId: 'app_one' };
    const own = keysOf('sandbox', owner);
    const master = await cluster.masterOf(slotOf(own.policy));
    const redis = new Redis({ port: master.port });
    const keys: string[] = [];
    const marked = new EventEmitter();
    const end = await monitorRedis(master.port, ([name, key], source) => {
      if (name === 'echo') marked.emit('mark');
      else if (source === 'lua' && key !== undefined) keys.push(key);
    });
    const limit = { perMinute: 60, burst: 5, perDay: 5, concurrent: 1 };
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
    await Promise.all([once(marked, 'mark'), redis.echo('mark')]);
    end();
    redis.disconnect();
    const touched = [...new Set(keys)];
    expect(touched.length).toBeGreaterThanOrEqual(11);
    expect(new Set(touched.map(slotOf))).toEqual(new Set([slotOf(own.policy)]));
  });
});
