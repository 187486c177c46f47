import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config, SUPPLIER_CONFIGS, type SupplierConfig } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { observeCutOff, observeSupplier } from '../metrics/metrics.js';
import { SupplierError } from '../model/supplier.js';
import { WorkerPool } from './answers/worker-pool.js';
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

/** Added to the longest request budget before a replaced connection is closed. */
const RETIRE_MARGIN_MS = 5_000;

/** The engine: supplier registry, fan-out, single calls and their observers. */
@Global()
@Module({
  providers: [
    { provide: ResilienceLog, inject: [LOGGER], useFactory: (logger: Logger) => new ResilienceLog(logger) },
    {
      provide: WorkerPool,
      inject: [CONFIG],
      useFactory: ({ suppliers }: Config) => new WorkerPool(suppliers.readerThreads),
    },
    {
      provide: SupplierRegistry,
      inject: [SUPPLIER_CONFIGS, SIMULATED_SUPPLIERS, CONFIG, LOGGER, ResilienceLog, WorkerPool],
      useFactory: (
        configs: readonly SupplierConfig[],
        simulators: SimulatedSuppliers,
        config: Config,
        logger: Logger,
        watch: ResilienceLog,
        workers: WorkerPool,
      ) =>
        new SupplierRegistry(configs, {
          urlOf: ({ id, url }) => url ?? simulators.urlOf(id),
          unusable: (supplier, error) => logger.error({ supplier, why: error.message }, 'supplier cannot be used'),
          retireMs: Math.max(config.http.requestBudgetMs, config.reservations.budgetMs) + RETIRE_MARGIN_MS,
          createAdapter,
          rulesOf: (supplier, url) => ({
            policy: new SupplierPolicy(supplier, watch),
            publicOnly: isGuarded(supplier, url, config.environment),
            elsewhere: workers.readerOf(supplier),
          }),
        }),
    },
    {
      provide: CALL_OBSERVER,
      inject: [LOGGER],
      useFactory: (logger: Logger): CallObserver => ({
        settled: ({ supplier, operation, brand, requestId, application }, outcome, durationMs, error) => {
          observeSupplier(supplier.id, operation, outcome, durationMs);
          if (error === undefined) return;
          // Counted by the policy. A line per call would flood the log exactly when an operator needs it.
          if (error instanceof CallRejectedError) return;
          // A fault of the supplier is a warning; anything else is a bug in the adapter.
          const fields = { requestId, application, supplier: supplier.id, operation, brand, outcome, ms: durationMs };
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
  constructor(
    private readonly registry: SupplierRegistry,
    private readonly workers: WorkerPool,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.registry.close();
    await this.workers.close();
  }
}
