import { ConfigError, type LoadedConfig, placeOf } from './load-config.js';
import type { SupplierConfig } from './supplier-config.schema.js';

/**
 * The configuration of one worker of several, numbered from 1. What a gateway promises to others is divided: sockets and
 * quotas of suppliers, requests in progress, request records per second, and traces of callers. Memory and threads are per worker
 * (docs/deployment.md#workers). Only the first worker does background work. Throws ConfigError if a supplier allows fewer
 * concurrent calls than there are workers.
 */
export function workerShare(loaded: LoadedConfig, worker: number): LoadedConfig {
  const { config } = loaded;
  const share = (total: number): number => shareOf(total, config.workers, worker);
  return {
    config: {
      ...config,
      backgroundWork: config.backgroundWork && worker === 1,
      http: { ...config.http, maxConcurrent: Math.max(1, share(config.http.maxConcurrent)) },
      records: { ...config.records, perSecond: share(config.records.perSecond) },
      tracing: { ...config.tracing, callersPerSecond: share(config.tracing.callersPerSecond) },
    },
    suppliers: suppliersShare(loaded.suppliers, config.workers, worker),
    secretFiles: loaded.secretFiles,
    readSuppliers: () => suppliersShare(loaded.readSuppliers(), config.workers, worker),
  };
}

/** The shares of all workers add up to the total. */
function shareOf(total: number, workers: number, worker: number): number {
  return Math.floor(total / workers) + (worker <= total % workers ? 1 : 0);
}

function suppliersShare(suppliers: readonly SupplierConfig[], workers: number, worker: number): SupplierConfig[] {
  const faults = suppliers.flatMap((supplier) => [
    ...faultOf(supplier, ['connections'], supplier.connections, workers),
    ...faultOf(supplier, ['quota', 'concurrent'], supplier.quota.concurrent, workers),
  ]);
  if (faults.length > 0) throw new ConfigError(faults);
  return suppliers.map((supplier) => ({
    ...supplier,
    connections: shareOf(supplier.connections, workers, worker),
    quota: quotaShare(supplier.quota, workers, worker),
  }));
}

function faultOf(supplier: SupplierConfig, path: readonly string[], value: number | undefined, workers: number) {
  if (value === undefined || value >= workers) return [];
  const fault = `${value} can't be divided among ${workers} workers: allow at least ${workers}, or set fewer WORKERS`;
  return [`${placeOf(supplier, path)} ${path.join('.')}: ${fault}`];
}

/** A worker may always make one call in a burst, or it could make none. */
function quotaShare(quota: SupplierConfig['quota'], workers: number, worker: number): SupplierConfig['quota'] {
  const { perSecond, burst, concurrent } = quota;
  return {
    ...(perSecond === undefined ? {} : { perSecond: perSecond / workers }),
    ...(burst === undefined ? {} : { burst: Math.max(1, shareOf(burst, workers, worker)) }),
    ...(concurrent === undefined ? {} : { concurrent: shareOf(concurrent, workers, worker) }),
  };
}
