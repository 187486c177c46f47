import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config, SUPPLIER_CONFIGS, type SupplierConfig } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { ReadingQueue } from './answers/reading-queue.js';
import { WorkerThreads } from './answers/worker-threads.js';
import { createAdapter } from './create-adapter.js';
import type { CallObserver } from './fan-out.js';
import { SupplierMemories } from './memory/supplier-memories.js';
import { SupplierRegistry } from './registry.js';
import { isGuarded } from './resilience/address-guard.js';
import { BreakerSharing } from './resilience/breaker-sharing.service.js';
import { ResilienceLog } from './resilience/resilience-log.js';
import { SupplierPolicy } from './resilience/supplier-policy.js';
import { SupplierCalls } from './supplier-call.js';
import { SIMULATED_SUPPLIERS, type SimulatedSuppliers, SupplierFiles } from './supplier-files.js';
import { supplierLog } from './supplier-log.js';
import { CALL_OBSERVER, SupplierSearch } from './supplier-search.js';

/** Added to the longest request budget before a replaced connection is closed. */
const RETIRE_MARGIN_MS = 5_000;

/** The engine: supplier registry, fan-out, single calls and their observers. */
@Global()
@Module({
  providers: [
    { provide: ResilienceLog, inject: [LOGGER], useFactory: (logger: Logger) => new ResilienceLog(logger) },
    {
      provide: WorkerThreads,
      inject: [CONFIG],
      useFactory: ({ suppliers }: Config) => new WorkerThreads(suppliers.readerThreads),
    },
    {
      provide: ReadingQueue,
      inject: [CONFIG, WorkerThreads],
      useFactory: ({ suppliers }: Config, threads: WorkerThreads) =>
        new ReadingQueue(suppliers.readerThreads, (task, signal) => threads.run(task, signal)),
    },
    {
      provide: SupplierRegistry,
      inject: [SUPPLIER_CONFIGS, SIMULATED_SUPPLIERS, CONFIG, LOGGER, ResilienceLog, ReadingQueue],
      useFactory: (
        configs: readonly SupplierConfig[],
        simulators: SimulatedSuppliers,
        config: Config,
        logger: Logger,
        watch: ResilienceLog,
        queue: ReadingQueue,
      ) => {
        const memories = new SupplierMemories(logger);
        return new SupplierRegistry(configs, {
          urlOf: ({ id, url }) => url ?? simulators.urlOf(id),
          unusable: (supplier, error) => logger.error({ supplier, why: error.message }, 'supplier cannot be used'),
          retireMs: Math.max(config.http.requestBudgetMs, config.reservations.budgetMs) + RETIRE_MARGIN_MS,
          createAdapter,
          rulesOf: (supplier, url) => ({
            policy: new SupplierPolicy(supplier, watch),
            publicOnly: isGuarded(supplier, url, config.environment),
            elsewhere: queue.readerOf(supplier),
            ...memories.rulesOf(supplier),
          }),
        });
      },
    },
    {
      provide: CALL_OBSERVER,
      inject: [LOGGER],
      useFactory: (logger: Logger): CallObserver => supplierLog(logger),
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
    private readonly threads: WorkerThreads,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.registry.close();
    await this.threads.close();
  }
}
