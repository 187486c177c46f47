import { Counter } from 'prom-client';
import { metrics } from './metrics.js';

const calls = new Counter({
  name: 'forecourt_version_calls_total',
  help: 'Calls by product and version, without those rejected before a version was chosen.',
  labelNames: ['product', 'version'] as const,
  registers: [metrics],
});

/** Records one call that a version of a product served. `version` is the full text, such as v1.1. */
export function countVersionCall(product: string, version: string): void {
  calls.inc({ product, version });
}
