import { Counter, Histogram } from 'prom-client';
import { metrics } from './metrics.js';

const generations = new Counter({
  name: 'forecourt_supplier_generations_total',
  help: 'Changes of the supplier files that this process applied (taken) or rejected (refused).',
  labelNames: ['result'] as const,
  registers: [metrics],
});

// From the start, so that the first one is an increase.
for (const result of ['taken', 'refused']) generations.inc({ result }, 0);

const shadowSeconds = new Histogram({
  name: 'forecourt_shadow_seconds',
  help: 'Duration of searches of suppliers in shadow, by outcome (answered, empty, failed); left_out: skipped, too many were open.',
  labelNames: ['supplier', 'operation', 'outcome'] as const,
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8],
  registers: [metrics],
});

const shadowCoverage = new Histogram({
  name: 'forecourt_shadow_coverage_ratio',
  help: 'Share of the live results (car classes or locations) that a supplier in shadow also has.',
  labelNames: ['supplier', 'operation'] as const,
  buckets: [0, 0.25, 0.5, 0.75, 0.9, 1],
  registers: [metrics],
});

const shadowPrice = new Histogram({
  name: 'forecourt_shadow_price_ratio',
  help: 'Cheapest price of a supplier in shadow divided by the cheapest live price, averaged over shared car classes.',
  labelNames: ['supplier'] as const,
  buckets: [0.5, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2],
  registers: [metrics],
});

/** Records that changed supplier files were read. */
export function observeGeneration(result: 'taken' | 'refused'): void {
  generations.inc({ result });
}

/** Records one search of a supplier in shadow. Ratios are absent if there is nothing to compare with. */
export function observeShadow(
  supplier: string,
  operation: string,
  seen: {
    readonly outcome: string;
    readonly durationMs: number;
    readonly coverage?: number | undefined;
    readonly priceRatio?: number | undefined;
  },
): void {
  shadowSeconds.observe({ supplier, operation, outcome: seen.outcome }, seen.durationMs / 1000);
  if (seen.coverage !== undefined) shadowCoverage.observe({ supplier, operation }, seen.coverage);
  if (seen.priceRatio !== undefined) shadowPrice.observe({ supplier }, seen.priceRatio);
}
