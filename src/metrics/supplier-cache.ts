import { Counter, Gauge } from 'prom-client';
import { metrics } from './metrics.js';

/** hit: from memory; stale: from memory, and the supplier is asked again; miss; refused: the request had `Cache-Control: no-cache`. */
export type CacheResult = 'hit' | 'stale' | 'miss' | 'refused';

/** What is read of a supplier's memory when metrics are requested. */
export interface CacheOverview {
  /** Memory in use by operation. */
  readonly bytes: Readonly<Record<string, number>>;
  /** Current lifetime of offers as a share of the configured one; above 1 near the agreed ratio of searches to bookings. */
  readonly lifetimeShare: number;
}

const lookups = new Counter({
  name: 'forecourt_supplier_cache_total',
  help: 'Calls of searches by result: hit, stale (from memory, asked again in the background), miss, refused (Cache-Control: no-cache).',
  labelNames: ['supplier', 'operation', 'result'] as const,
  registers: [metrics],
});

/** By supplier; empty if no supplier has a cache. */
const caches = new Map<string, () => CacheOverview>();
const ratios = new Map<string, () => number>();

new Gauge({
  name: 'forecourt_supplier_cache_bytes',
  help: 'Memory of the answers kept per supplier and operation.',
  labelNames: ['supplier', 'operation'] as const,
  registers: [metrics],
  collect() {
    this.reset();
    for (const [supplier, read] of caches)
      for (const [operation, bytes] of Object.entries(read().bytes)) this.set({ supplier, operation }, bytes);
  },
});

new Gauge({
  name: 'forecourt_supplier_cache_lifetime_ratio',
  help: 'Current lifetime of kept offers divided by the configured one: below 1 while prices drift (for the account for which they drift most), above 1 near the look-to-book ratio.',
  labelNames: ['supplier'] as const,
  aggregator: 'average',
  registers: [metrics],
  collect() {
    this.reset();
    for (const [supplier, read] of caches) this.set({ supplier }, read().lifetimeShare);
  },
});

new Gauge({
  name: 'forecourt_supplier_look_to_book_used_ratio',
  help: 'Searches divided by those that the agreed look-to-book ratio allows; 1 = further searches are refused.',
  labelNames: ['supplier'] as const,
  aggregator: 'max',
  registers: [metrics],
  collect() {
    this.reset();
    for (const [supplier, read] of ratios) this.set({ supplier }, read());
  },
});

/** Counts one call of a search. */
export function countCache(supplier: string, operation: string, result: CacheResult): void {
  lookups.inc({ supplier, operation, result });
}

/** Shows the memory of a supplier's current connection; undefined = it keeps no answers. */
export function showCache(supplier: string, read: (() => CacheOverview) | undefined): void {
  if (read) caches.set(supplier, read);
  else caches.delete(supplier);
}

/** Shows how much of the agreed ratio is used; undefined = none is agreed. */
export function showLookToBook(supplier: string, read: (() => number) | undefined): void {
  if (read) ratios.set(supplier, read);
  else ratios.delete(supplier);
}
