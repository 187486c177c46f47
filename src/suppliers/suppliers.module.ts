import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { KEYS, type Keys, SUPPLIER_CONFIGS, type SupplierConfig } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { observeCutOff, observeSupplier } from '../metrics/metrics.js';
import { createAdapter } from './create-adapter.js';
import type { CallObserver } from './fan-out.js';
import { LocationFactsCache } from './location-view.js';
import { SupplierRegistry } from './registry.js';
import { SupplierError } from './supplier.js';
import { SupplierCalls } from './supplier-call.js';
import { CALL_OBSERVER, SupplierSearch } from './supplier-search.js';

/** Injection token: supplier id → base URL of its embedded simulator (main.ts starts those). */
export const SIMULATOR_URLS = Symbol('SimulatorUrls');

/** Registry, fan-out and what observes it. */
@Global()
@Module({
  providers: [
    {
      provide: SupplierRegistry,
      inject: [SUPPLIER_CONFIGS, SIMULATOR_URLS, LOGGER],
      useFactory: (configs: readonly SupplierConfig[], urls: ReadonlyMap<string, string>, logger: Logger) =>
        new SupplierRegistry(configs, {
          urlOf: (config) => config.url ?? urls.get(config.id),
          unusable: (supplier, error) => logger.error({ supplier, why: error.message }, 'a supplier that is off cannot be reached'),
          createAdapter,
        }),
    },
    {
      provide: CALL_OBSERVER,
      inject: [LOGGER],
      useFactory: (logger: Logger): CallObserver => ({
        settled: ({ supplier, operation, brand }, outcome, durationMs, error) => {
          observeSupplier(supplier.id, operation, outcome, durationMs);
          if (error === undefined) return;
          // A fault of a supplier is a warning; anything else thrown by an adapter is a bug of ours.
          const fields = { supplier: supplier.id, operation, brand, outcome, ms: durationMs };
          if (error instanceof SupplierError)
            logger.warn({ ...fields, fault: error.fault, why: error.message.slice(0, 300) }, 'supplier failed');
          else logger.error({ ...fields, err: error }, 'adapter failed');
        },
        cutOff: ({ supplier, operation }) => observeCutOff(supplier.id, operation),
      }),
    },
    { provide: LocationFactsCache, inject: [KEYS], useFactory: (keys: Keys) => new LocationFactsCache(keys('offer_id')) },
    SupplierSearch,
    SupplierCalls,
  ],
  exports: [SupplierRegistry, SupplierSearch, SupplierCalls, LocationFactsCache],
})
export class SuppliersModule implements OnApplicationShutdown {
  constructor(private readonly registry: SupplierRegistry) {}

  async onApplicationShutdown(): Promise<void> {
    await this.registry.close();
  }
}
