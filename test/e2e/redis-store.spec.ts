import { afterAll } from '@jest/globals';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import { storeContract } from '../../src/store/store.contract.js';
import { type RedisServer, startRedis } from '../support/redis.js';

let redis: RedisServer | undefined;
afterAll(() => redis?.dispose());

storeContract('RedisStore', async () => {
  redis = await startRedis();
  const store = new RedisStore(redis.url, { commandTimeoutMs: 2_000, leaseMs: 0, onError: () => undefined });
  await store.connect();
  return {
    store,
    // Redis' own clock cannot be moved: the time really passes.
    advance: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
});
