import { Counter } from 'prom-client';
import { metrics } from './metrics.js';

const exported = new Counter({
  name: 'forecourt_spans_exported_total',
  help: 'Spans that the collector accepted.',
  registers: [metrics],
});

const lost = new Counter({
  name: 'forecourt_spans_lost_total',
  help: 'Spans of kept traces that the collector does not have, by reason: buffer_full, unavailable (no success in time), refused (by its status), rejected (partial success), failed (the exporting thread), shutdown.',
  labelNames: ['reason'] as const,
  registers: [metrics],
});

/** Why a collector doesn't have a span. */
export type LossReason = 'buffer_full' | 'unavailable' | 'refused' | 'rejected' | 'failed' | 'shutdown';

/** Counts spans that the collector accepted. */
export function countExported(spans: number): void {
  exported.inc(spans);
}

/** Counts spans that the collector will not get. */
export function countLost(reason: LossReason, spans: number): void {
  lost.inc({ reason }, spans);
}
