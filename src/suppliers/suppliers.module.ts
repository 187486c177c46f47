import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config, SUPPLIER_CONFIGS, type SupplierConfig } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { observeCutOff, observeSupplier } from '../metrics/metrics.js';
import { SupplierError } from '../model/supplier.js';
import { createAdapter } from './create-adapter.js';
import type { CallObserver } from './fan-out.js';
import { SupplierRegistry } from './registry.js';
import { isGuarded } from './resilience/address-guard.js';
import { BreakerSharing } from './resilience/breaker-sharing.service.js';
import { CallRejectedError } from './resilience/call-rejected.js';
import { ResilienceLog } from './resilience/resilience-log.js';
import { SupplierPolicy } from './resilience/supplier-policy.js';
import { SupplierCalls } from './supplier-call.js';
import { SIMULATED_SUPPLIERS, type SimulatedSuppliers, SupplierFiles } from './supplier-files.js';
import { CALL_OBSERVER, SupplierSearch } from './supplier-search.js';

/** After the longest budget nothing that began before is under way, with time for the supplier to be told. */
const RETIRE_MARGIN_MS = 5_000;

/** Registry, fan-out and what observes it. */
@Global()
@Module({
  providers: [
    { provide: ResilienceLog, inject: [LOGGER], useFactory: (logger: Logger) => new ResilienceLog(logger) },
    {
      provide: SupplierRegistry,
      inject: [SUPPLIER_CONFIGS, SIMULATED_SUPPLIERS, CONFIG, LOGGER, ResilienceLog],
      useFactory: (
        configs: readonly SupplierConfig[],
        played: SimulatedSuppliers,
        config: Config,
        logger: Logger,
        watch: ResilienceLog,
      ) =>
        new SupplierRegistry(configs, {
          urlOf: ({ id, url }) => url ?? played.urlOf(id),
          unusable: (supplier, error) => logger.error({ supplier, why: error.message }, 'a supplier cannot be reached'),
          retireMs: Math.max(config.http.requestBudgetMs, config.reservations.budgetMs) + RETIRE_MARGIN_MS,
          createAdapter,
          rulesOf: (supplier, url) => ({
            policy: new SupplierPolicy(supplier, watch),
            publicOnly: isGuarded(supplier, url, config.environment),
          }),
        }),
    },
    {
      provide: CALL_OBSERVER,
      inject: [LOGGER],
      useFactory: (logger: Logger): CallObserver => ({
        settled: ({ supplier, operation, brand }, outcome, durationMs, error) => {
          observeSupplier(supplier.id, operation, outcome, durationMs);
          if (error === undefined) return;
          // Counted where it was decided: a line for each call would bury the log when it is needed most.
          if (error instanceof CallRejectedError) return;
          // A fault of a supplier is a warning; anything else thrown by an adapter is a bug of ours.
          const fields = { supplier: supplier.id, operation, brand, outcome, ms: durationMs };
          if (error instanceof SupplierError)
            logger.warn({ ...fields, fault: error.fault, why: error.message.slice(0, 300) }, 'supplier failed');
          else logger.error({ ...fields, err: error }, 'adapter failed');
        },
        cutOff: ({ supplier, operation }) => observeCutOff(supplier.id, operation),
      }),
    },
    SupplierFiles,
    SupplierSearch,
    SupplierCalls,
    BreakerSharing,
  ],
  exports: [SupplierRegistry, SupplierSearch, SupplierCalls],
})
export class SuppliersModule implements OnApplicationShutdown {
  constructor(private readonly registry: SupplierRegistry) {}

  async onApplicationShutdown(): Promise<void> {
    await this.registry.close();
  }
}
