import { Counter } from 'prom-client';
import { metrics } from './metrics.js';

const records = new Counter({
  name: 'forecourt_request_records_total',
  help: 'Request records: written, sampled_out (over the limit per second), dropped (the database was unavailable too long) or refused (the database could not store its values).',
  labelNames: ['fate'] as const,
  registers: [metrics],
});

const lost = new Counter({
  name: 'forecourt_usage_calls_lost_total',
  help: 'Calls missing from the usage counters because the database was unavailable too long.',
  registers: [metrics],
});

const lostOfSuppliers = new Counter({
  name: 'forecourt_usage_supplier_calls_lost_total',
  help: 'Calls to suppliers missing from the usage counters because the database was unavailable too long.',
  registers: [metrics],
});

/** Counts request records by what became of them. */
export function countRecords(fate: 'written' | 'sampled_out' | 'dropped' | 'refused', count: number): void {
  records.inc({ fate }, count);
}

/** Counts calls that are missing from the usage counters. */
export function countLostCalls(count: number): void {
  lost.inc(count);
}

/** Counts calls to suppliers that are missing from the usage counters. */
export function countLostSupplierCalls(count: number): void {
  lostOfSuppliers.inc(count);
}
