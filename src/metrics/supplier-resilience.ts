import { Counter, Gauge } from 'prom-client';
import { metrics } from './metrics.js';

/** The state of the breakers of one operation, of which each application has its own. */
export interface BreakerOverview {
  /** That of the most restricted application. */
  readonly state: 'closed' | 'half_open' | 'open';
  /** Applications whose calls are rejected or are probes. */
  readonly applications: number;
}

interface Watched {
  readonly labels: { readonly supplier: string; readonly operation: string };
  readonly read: () => BreakerOverview;
}

/** By supplier and operation. Read when metrics are requested, because breakers have no timers. */
const watched = new Map<string, Watched>();

const STATE = { closed: 0, half_open: 1, open: 2 } as const;

new Gauge({
  name: 'forecourt_supplier_breaker_state',
  help: 'State of the circuit breaker of the most restricted application per supplier and operation: 0 closed, 1 half open, 2 open.',
  aggregator: 'max',
  labelNames: ['supplier', 'operation'] as const,
  registers: [metrics],
  collect() {
    for (const { labels, read } of watched.values()) this.set(labels, STATE[read().state]);
  },
});

new Gauge({
  name: 'forecourt_supplier_breaker_applications',
  help: 'Applications whose circuit breaker is open or half open.',
  aggregator: 'max',
  labelNames: ['supplier', 'operation'] as const,
  registers: [metrics],
  collect() {
    for (const { labels, read } of watched.values()) this.set(labels, read().applications);
  },
});

const breakerTrips = new Counter({
  name: 'forecourt_supplier_breaker_trips_total',
  help: 'Number of times a breaker opened, by reason: failures, slow, probe, others, other_gateway.',
  labelNames: ['supplier', 'operation', 'reason'] as const,
  registers: [metrics],
});

const refusals = new Counter({
  name: 'forecourt_supplier_refused_total',
  help: 'Calls that this gateway rejected, by why: circuit_open, queue_full, waited, quota, paused, look_to_book; unread = an answer that it did not read.',
  labelNames: ['supplier', 'operation', 'why'] as const,
  registers: [metrics],
});

const retries = new Counter({
  name: 'forecourt_supplier_retries_total',
  help: 'Reads that were retried.',
  labelNames: ['supplier', 'operation'] as const,
  registers: [metrics],
});

const queue = new Gauge({
  name: 'forecourt_supplier_queue_calls',
  help: 'HTTP calls waiting for a free socket or for the quota of the supplier.',
  labelNames: ['supplier'] as const,
  registers: [metrics],
});

const pauses = new Counter({
  name: 'forecourt_supplier_pauses_total',
  help: 'Number of times a supplier requested a pause with 429 and Retry-After.',
  labelNames: ['supplier'] as const,
  registers: [metrics],
});

/** Shows the breakers of an operation as closed from the moment that the returned function is called. */
export function showBreakers(supplier: string, operation: string, read: () => BreakerOverview): () => void {
  const key = `${supplier}|${operation}`;
  const own = { labels: { supplier, operation }, read };
  watched.set(key, own);
  return () => {
    // The breakers of a replaced supplier must not hide those of its successor.
    if (watched.get(key) === own) watched.set(key, { ...own, read: () => ({ state: 'closed', applications: 0 }) });
  };
}

/** Between two openings of one breaker: longer means that the supplier had recovered. */
const RECOVERED_MS = 300_000;

/** By supplier and operation, when the breaker opened first and last in the present trouble, epoch milliseconds. */
const trouble = new Map<string, { readonly firstMs: number; readonly lastMs: number }>();
/** The breakers of a supplier in this process by operation; empty if it has none. */
export function breakersOf(supplier: string): readonly (BreakerOverview & { readonly operation: string })[] {
  return [...watched.values()].flatMap(({ labels, read }) =>
    labels.supplier === supplier ? [{ operation: labels.operation, ...read() }] : [],
  );
}

/** Records a breaker that opened. */
export function countTrip(supplier: string, operation: string, reason: string, now: number = Date.now()): void {
  breakerTrips.inc({ supplier, operation, reason });
  const key = `${supplier}|${operation}`;
  const before = trouble.get(key);
  const firstMs = before && now - before.lastMs < RECOVERED_MS ? before.firstMs : now;
  trouble.set(key, { firstMs, lastMs: now });
}

/** A breaker that isn't closed. */
export interface RestrictedOperation extends BreakerOverview {
  readonly supplier: string;
  readonly operation: string;
  /** When it opened first since the supplier worked for five minutes, epoch milliseconds; undefined = unknown. */
  readonly sinceMs: number | undefined;
}

/** The operations of suppliers that this process calls for fewer applications than asked, or for none. */
export function restrictedOperations(): readonly RestrictedOperation[] {
  return [...watched].flatMap(([key, { labels, read }]) => {
    const overview = read();
    const sinceMs = trouble.get(key)?.firstMs;
    return overview.state === 'closed' ? [] : [{ ...labels, ...overview, sinceMs }];
  });
}

/** Records a call that the gateway rejected. */
export function countRefusal(supplier: string, operation: string, why: string): void {
  refusals.inc({ supplier, operation, why });
}

/** Records a retried read. */
export function countRetry(supplier: string, operation: string): void {
  retries.inc({ supplier, operation });
}

/** Calls that wait, by supplier. */
const waiting = new Map<string, number>();

/** Shows how many calls are waiting. */
export function showQueue(supplier: string, length: number): void {
  queue.set({ supplier }, length);
  waiting.set(supplier, length);
}

/** How many calls of each supplier wait in this process. */
export function waitingCalls(): ReadonlyMap<string, number> {
  return waiting;
}

/** Records a pause that a supplier requested. */
export function countPause(supplier: string): void {
  pauses.inc({ supplier });
}
