import { Counter } from 'prom-client';
import { metrics } from './metrics.js';

const records = new Counter({
  name: 'forecourt_request_records_total',
  help: 'Single requests: written, sampled_out (more came in a second than are kept) or dropped (the database was away too long).',
  labelNames: ['fate'] as const,
  registers: [metrics],
});

const lost = new Counter({
  name: 'forecourt_usage_calls_lost_total',
  help: 'Calls that are missing in the usage counters because the database was away too long.',
  registers: [metrics],
});

/** Records what became of single requests. */
export function countRecords(fate: 'written' | 'sampled_out' | 'dropped', count: number): void {
  records.inc({ fate }, count);
}

/** Records calls that no counter has. */
export function countLostCalls(count: number): void {
  lost.inc(count);
}
