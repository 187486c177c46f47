import { Gauge } from 'prom-client';
import { metrics } from './metrics.js';

const staleAt = new Gauge({
  name: 'forecourt_exchange_rates_stale_at_seconds',
  help: 'When the exchange rates in use become stale, in epoch seconds; 0 = there are none. An alert compares it with time().',
  aggregator: 'min',
  registers: [metrics],
});

/** Records which exchange rates are in use; `staleAt` is in epoch milliseconds. */
export function observeRates(table: { readonly staleAt: number }): void {
  staleAt.set(table.staleAt / 1_000);
}
