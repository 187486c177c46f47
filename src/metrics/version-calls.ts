import { Counter } from 'prom-client';
import { metrics } from './metrics.js';

const calls = new Counter({
  name: 'forecourt_version_calls_total',
  help: 'Calls by product and the version that served them; what was refused before a version was chosen is not in it.',
  labelNames: ['product', 'version'] as const,
  registers: [metrics],
});

/** Records one call that a version of a product served. `version` as it is written: v1.1. */
export function countVersionCall(product: string, version: string): void {
  calls.inc({ product, version });
}
