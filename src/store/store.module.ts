import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { MemoryStore } from './memory/memory-store.js';
import { RedisStore } from './redis/redis-store.js';
import type { Store } from './store.js';

/** Injection token of the Store. */
export const STORE = Symbol('Store');

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
  ],
  exports: [STORE],
})
export class StoreModule implements OnApplicationShutdown {
  constructor(@Inject(STORE) private readonly store: Store) {}

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

/** The longest time that a call can take. A call that holds a slot longer belongs to a crashed gateway. */
function leaseOf({ http, reservations }: Config): number {
  return Math.max(http.requestBudgetMs, reservations.budgetMs) + LEASE_MARGIN_MS;
}
