import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { MemoryStore } from './memory/memory-store.js';
import { RedisStore } from './redis/redis-store.js';
import type { Store } from './store.js';

/** Injection token of the Store. */
export const STORE = Symbol('Store');

/** Provides the store: Redis when `redisUrl` is set, else in this process. */
@Global()
@Module({
  providers: [
    {
      provide: STORE,
      inject: [CONFIG, LOGGER],
      useFactory: async (config: Config, logger: Logger): Promise<Store> => {
        if (config.redisUrl === undefined) return new MemoryStore();
        const store = new RedisStore(config.redisUrl, {
          commandTimeoutMs: config.store.commandTimeoutMs,
          leaseMs: 0,
          onError: (error) => logger.warn({ why: error.message }, 'the token store does not answer'),
        });
        await store.connect();
        return store;
      },
    },
  ],
  exports: [STORE],
})
export class StoreModule implements OnApplicationShutdown {
  constructor(@Inject(STORE) private readonly store: Store) {}

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}
