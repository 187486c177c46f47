import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { MemoryStore } from './memory/memory-store.js';
import { MemoryPages } from './pages/memory-pages.js';
import type { PageStore } from './pages/page-store.js';
import { RedisPages } from './pages/redis-pages.js';
import { RedisStore } from './redis/redis-store.js';
import type { Store } from './store.js';

/** Injection token of the Store. */
export const STORE = Symbol('Store');

/** Injection token of the PageStore. */
export const PAGE_STORE = Symbol('PageStore');

/** Time for sending a response to a slow client, beyond the request's time budget. */
const LEASE_MARGIN_MS = 25_000;

/** Provides the store: Redis if `redisUrl` is set, otherwise in the memory of this process. */
@Global()
@Module({
  providers: [
    {
      provide: STORE,
      inject: [CONFIG, LOGGER],
      useFactory: async (config: Config, logger: Logger): Promise<Store> => {
        const leaseMs = leaseOf(config);
        if (config.redisUrl === undefined) return new MemoryStore(leaseMs);
        const store = new RedisStore(config.redisUrl, {
          environment: config.environment,
          commandTimeoutMs: config.store.commandTimeoutMs,
          leaseMs,
          onError: (error) => logger.warn({ why: error.message }, 'the token store is unavailable'),
        });
        await store.connect();
        return store;
      },
    },
    {
      provide: PAGE_STORE,
      inject: [CONFIG, LOGGER],
      useFactory: (config: Config, logger: Logger): PageStore =>
        config.redisUrl === undefined
          ? new MemoryPages(config.search.pages)
          : new RedisPages(config.redisUrl, config.search.pages, {
              environment: config.environment,
              commandTimeoutMs: config.store.commandTimeoutMs,
              onError: (error) => logger.warn({ why: error.message }, 'the store of searches is unavailable'),
            }),
    },
  ],
  exports: [STORE, PAGE_STORE],
})
export class StoreModule implements OnApplicationShutdown {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(PAGE_STORE) private readonly pages: PageStore,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.store.close(), this.pages.close()]);
  }
}

/** The longest time that a call can take. A call that holds a slot longer belongs to a crashed gateway. */
function leaseOf({ http, reservations }: Config): number {
  return Math.max(http.requestBudgetMs, reservations.budgetMs) + LEASE_MARGIN_MS;
}
