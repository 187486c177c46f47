import { afterAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { checkStore } from '../../src/cli/doctor-store.js';
import { configSchema } from '../../src/config/config.schema.js';
import { pageStoreContract } from '../../src/store/pages/page-store.contract.js';
import { RedisPages } from '../../src/store/pages/redis-pages.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import { LEASE_MS, storeContract } from '../../src/store/store.contract.js';
import { claim } from '../support/claim.js';
import { type RedisServer, startRedis } from '../support/redis.js';

let redis: RedisServer | undefined;
afterAll(() => redis?.dispose());

const options = {
  environment: 'sandbox',
  commandTimeoutMs: 2_000,
  leaseMs: LEASE_MS,
  onError: () => undefined,
} as const;

storeContract('RedisStore', async () => {
  redis = await startRedis();
  const store = new RedisStore(redis.url, options);
  await store.connect();
  return {
    store,
    // Redis' own clock cannot be moved: the test waits in real time.
    advance: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
});

const pageServers: RedisServer[] = [];
afterAll(() => Promise.all(pageServers.map((server) => server.dispose())));

pageStoreContract('RedisPages', async (budgets) => {
  const server = await startRedis();
  pageServers.push(server);
  return {
    pages: new RedisPages(server.url, budgets, options),
    advance: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
});

claim('API4', "Keeping a search in Redis doesn't read the list of the account's kept searches.", async () => {
  const url = pageServers[0]?.url ?? '';
  const pages = new RedisPages(url, { accountBytes: 10_000, totalBytes: 100_000_000 }, options);
  const observer = new Redis(url);
  const prefix = 'forecourt:sandbox:{acc_pages}:pages';
  let lifetimeMs = 60_000;
  const save = (searchId: string, bytes = 1_500) => {
    lifetimeMs += 1_000;
    const owner = { accountId: 'acc_pages', applicationId: 'app' };
    return pages.save({ owner, searchId }, [Buffer.alloc(bytes)], lifetimeMs);
  };
  const kept = async () =>
    (await observer.zrange(prefix, '0', '-1')).map((member) => /:(\w+) \d+$/.exec(member)?.[1] ?? member);
  expect([await save('one'), await save('two')]).toEqual([true, true]);
  // Reading the complete list fails at this member.
  await observer.zadd(prefix, String(Date.now() + 3_600_000), 'unreadable');
  expect([await save('three'), await save('four'), await save('five')]).toEqual([true, true, true]);
  expect(await kept()).toEqual(['one', 'two', 'three', 'four', 'five', 'unreadable']);
  expect(await save('six')).toBe(true);
  await observer.zrem(prefix, 'unreadable');
  expect(await kept()).toEqual(['two', 'three', 'four', 'five', 'six']);
  // The count of another version of the gateway, or none: it is counted again. A list that expired has nothing to drop.
  await observer.del(`${prefix}-bytes`);
  expect([await save('seven', 3_500), await kept()]).toEqual([true, ['four', 'five', 'six', 'seven']]);
  await observer.del(prefix);
  expect([await save('eight'), await kept()]).toEqual([true, ['eight']]);
  expect([await save('nine', 7_500), await kept()]).toEqual([true, ['eight', 'nine']]);
  expect(await observer.pttl(`${prefix}-bytes`)).toBeGreaterThan(0);
  await pages.close();
  observer.disconnect();
});

claim(
  'API4',
  'A large kept search drops thousands of small ones in steps of 200, between which Redis answers others.',
  async () => {
    const url = pageServers[0]?.url ?? '';
    const small = 1_000;
    const budgets = { accountBytes: small * 510, totalBytes: 100_000_000 };
    const pages = new RedisPages(url, budgets, options);
    const observer = new Redis(url);
    const owner = { accountId: 'acc_small', applicationId: 'app' };
    const save = (searchId: string, bytes: number, lifetimeMs: number) =>
      pages.save({ owner, searchId }, [Buffer.alloc(bytes)], lifetimeMs);
    for (let from = 0; from < small; from += 100)
      await Promise.all(Array.from({ length: 100 }, (_, at) => save(`small_${from + at}`, 1, 60_000 + from + at)));
    const prefix = 'forecourt:sandbox:{acc_small}:pages';
    expect(await observer.zcard(prefix)).toBe(small);
    await observer.config('RESETSTAT');
    expect(await save('large', budgets.accountBytes - 600, 120_000)).toBe(true);
    const scripts = Number(/cmdstat_eval:calls=(\d+)/.exec(await observer.info('commandstats'))?.[1]);
    const dropped = Number(/cmdstat_zpopmin:calls=(\d+)/.exec(await observer.info('commandstats'))?.[1]);
    expect(dropped).toBe(small);
    // Five that drop, each followed by one that counts; one that keeps, and its count.
    expect(scripts).toBeGreaterThanOrEqual(dropped / 200);
    const count = async (key: string) => Number(await observer.get(key));
    expect([await observer.zcard(prefix), await count(`${prefix}-bytes`)]).toEqual([1, budgets.accountBytes - 100]);
    expect((await observer.keys(`${prefix}*small*`)).length).toBe(0);
    expect(await pages.read({ owner, searchId: 'large' }, [0])).toHaveLength(1);
    const all = await observer.zrange('forecourt:sandbox:{pages}:list', '0', '-1');
    expect([all.some((member) => member.includes('large')), all.some((member) => member.includes('small_'))]).toEqual([
      true,
      false,
    ]);
    await pages.close();
    observer.disconnect();
  },
);

claim(
  ['API2', 'V10.4'],
  'If Redis drops the list of active tokens, they are unknown: none outlives its revocation.',
  async () => {
    const url = redis?.url ?? '';
    const store = new RedisStore(url, options);
    const observer = new Redis(url);
    await store.connect();
    const owner = { accountId: 'acc_evicted', applicationId: 'app_evicted' };
    const limits = { application: { perMinute: 60, burst: 5 } };
    const policy = { ...owner, clientId: 'c', environment: 'sandbox', limits, products: [] } as const;
    const isKnown = async () => [
      (await store.admit(owner, 'd', 1)).known,
      (await store.inspect(owner, 'd')) !== undefined,
    ];
    await store.saveToken({ ...owner, digest: 'd', lifetimeMs: 60_000 }, policy, 10);
    expect(await isKnown()).toEqual([true, true]);
    await observer.del('forecourt:sandbox:{acc_evicted}:live:app_evicted');
    expect(await isKnown()).toEqual([false, false]);
    expect(await store.revokeAll(owner)).toBe(0);
    await store.saveToken({ ...owner, digest: 'e', lifetimeMs: 60_000 }, policy, 10);
    expect(await isKnown()).toEqual([false, false]);
    await store.close();
    observer.disconnect();
  },
);

test('doctor rejects a Redis that drops keys when its memory is full', async () => {
  const server = await startRedis();
  pageServers.push(server);
  const observer = new Redis(server.url);
  const config = configSchema.parse({ redisUrl: server.url });
  await observer.config('SET', 'maxmemory-policy', 'volatile-lru');
  expect(await checkStore(config)).toMatchObject([{ ok: true }, { ok: true }]);
  await observer.config('SET', 'maxmemory', '100mb');
  expect(await checkStore(config)).toMatchObject([{ ok: false, todo: 'set maxmemory-policy noeviction' }]);
  await observer.config('SET', 'maxmemory-policy', 'noeviction');
  expect(await checkStore(config)).toMatchObject([{ ok: true }, { ok: true }]);
  observer.disconnect();
});

test('two environments on one Redis don’t share limits, sessions, tokens or marks', async () => {
  const url = redis?.url ?? '';
  const stores = (['sandbox', 'production'] as const).map(
    (environment) => new RedisStore(url, { ...options, environment }),
  );
  const [sandbox, production] = stores as [RedisStore, RedisStore];
  await Promise.all(stores.map((store) => store.connect()));
  const owner = { accountId: 'acc_same', applicationId: 'app_same' };
  const policy = {
    ...owner,
    clientId: 'c',
    environment: 'sandbox',
    limits: { application: { perMinute: 60, burst: 5 } },
    products: [],
  } as const;
  const rate = { perMinute: 1, burst: 1 };
  await sandbox.saveToken({ ...owner, digest: 'd', lifetimeMs: 60_000 }, policy, 10);
  await sandbox.saveSession('s', { accountId: 'acc_same', createdAtMs: 0, confirmedAtMs: 0, generation: 0 }, 60_000);
  await sandbox.take('mail', rate, 1);
  await sandbox.mark('breakers', new Map([['alpine|book', 60_000]]));
  await production.revokeAll(owner);
  await production.endSessions('acc_same');
  for (const [store, isThere] of [
    [sandbox, true],
    [production, false],
  ] as const) {
    expect([
      (await store.admit(owner, 'd', 1)).known,
      (await store.readSession('acc_same', 's', 60_000)) !== undefined,
      !(await store.take('mail', rate, 1)).allowed,
      (await store.mark('breakers', new Map())).size > 0,
    ]).toEqual([isThere, isThere, isThere, isThere]);
  }
  await Promise.all(stores.map((store) => store.close()));
});

describe('limits in Redis', () => {
  const own = {
    accountId: 'acc_kept',
    applicationId: 'app_kept',
    clientId: 'client',
    environment: 'sandbox',
    limits: { application: { perMinute: 60, burst: 5, perDay: 2, concurrent: 5 } },
    products: [],
  } as const;
  const withStore = async (work: (store: RedisStore, observer: Redis) => Promise<void>) => {
    const url = redis?.url ?? '';
    const store = new RedisStore(url, options);
    const observer = new Redis(url);
    await store.connect();
    await store.saveToken({ ...own, digest: 'd1', lifetimeMs: 60_000 }, own, 10);
    await work(store, observer);
    await store.close();
    observer.disconnect();
  };
  const isAllowed = async (store: RedisStore) => {
    const admission = await store.admit(own, 'd1', 1);
    return admission.known && admission.decision.allowed;
  };

  it('yesterday’s calls don’t count today', () =>
    withStore(async (store, observer) => {
      expect([await isAllowed(store), await isAllowed(store), await isAllowed(store)]).toEqual([true, true, false]);
      const key = 'forecourt:sandbox:{acc_kept}:used:app_kept';
      const [tat, day, calls] = (await observer.get(key))?.split(' ') ?? [];
      expect([Number(day), calls]).toEqual([Math.floor(Date.now() / 86_400_000), '2']);
      await observer.set(key, `${tat} ${Number(day) - 1} ${calls}`);
      expect([await isAllowed(store), await isAllowed(store), await isAllowed(store)]).toEqual([true, true, false]);
    }));

  it('every key expires', () =>
    withStore(async (store, observer) => {
      await store.admit(own, 'd1', 1);
      await store.take('guest', { perMinute: 60, burst: 5 }, 1);
      const lives = await Promise.all(
        (await observer.keys('forecourt:*')).map(async (key) => [key, await observer.pttl(key)] as const),
      );
      expect(lives.length).toBeGreaterThanOrEqual(5);
      expect(lives.filter(([, ms]) => ms < 0)).toEqual([]);
    }));

  it('lost scripts are sent again, and nothing else is lost', () =>
    withStore(async (store, observer) => {
      await observer.script('FLUSH');
      expect((await store.admit(own, 'd1', 1)).known).toBe(true);
    }));
});
