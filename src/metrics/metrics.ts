import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** All metrics of the process, served at /metrics. Labels are routes, methods, codes and supplier ids: never a caller's value. */
export const metrics = new Registry();
collectDefaultMetrics({ register: metrics });

const requestSeconds = new Histogram({
  name: 'forecourt_request_seconds',
  help: 'Time from the first byte of a request to the last of its answer.',
  labelNames: ['route', 'method', 'status'] as const,
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8],
  registers: [metrics],
});

const supplierSeconds = new Histogram({
  name: 'forecourt_supplier_seconds',
  help: 'Time a supplier call took, by outcome (answered, empty, or the cause of its failure).',
  labelNames: ['supplier', 'operation', 'outcome'] as const,
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8],
  registers: [metrics],
});

const lateAnswers = new Counter({
  name: 'forecourt_supplier_cut_off_total',
  help: 'Supplier calls that were called off because nobody waited any more.',
  labelNames: ['supplier', 'operation'] as const,
  registers: [metrics],
});

/** Records one answered request; `ms` milliseconds. */
export function observeRequest(route: string, method: string, status: number, ms: number): void {
  requestSeconds.observe({ route, method, status }, ms / 1000);
}

/** Records one supplier call; `ms` milliseconds. */
export function observeSupplier(supplier: string, operation: string, outcome: string, ms: number): void {
  supplierSeconds.observe({ supplier, operation, outcome }, ms / 1000);
}

/** Records a supplier call that was called off. */
export function observeCutOff(supplier: string, operation: string): void {
  lateAnswers.inc({ supplier, operation });
}
