import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * All metrics of the process. Gauges of several workers are added up, unless `aggregator` says otherwise. Served at /metrics on a port of their own (http/serve-metrics.ts). Labels are routes, methods, codes and supplier ids, never values from
 * a caller.
 */
export const metrics = new Registry();
collectDefaultMetrics({ register: metrics });

const requestSeconds = new Histogram({
  name: 'forecourt_request_seconds',
  help: 'Time from the first byte of a request to the last byte of its response.',
  labelNames: ['route', 'method', 'status'] as const,
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 12, 20],
  registers: [metrics],
});

const supplierSeconds = new Histogram({
  name: 'forecourt_supplier_seconds',
  help: 'Duration of supplier calls, by outcome (answered, empty, or the cause of the failure).',
  labelNames: ['supplier', 'operation', 'outcome'] as const,
  // Up to the default timeouts of searches (2 and 4 s) and bookings (10 s), and one step beyond each.
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 2.5, 4, 5, 8, 10, 12, 20],
  registers: [metrics],
});

const lateAnswers = new Counter({
  name: 'forecourt_supplier_cut_off_total',
  help: 'Supplier calls that were aborted because no request waited for them anymore.',
  labelNames: ['supplier', 'operation'] as const,
  registers: [metrics],
});

const warnings = new Counter({
  name: 'forecourt_supplier_warnings_total',
  help: 'Rows and values of supplier answers that were left out, replaced or doubtful, by kind of warning.',
  labelNames: ['supplier', 'operation', 'kind'] as const,
  registers: [metrics],
});

const statements = new Counter({
  name: 'forecourt_database_statements_total',
  help: 'Statements sent to the database; each is one round trip.',
  registers: [metrics],
});

const reservationMoves = new Counter({
  name: 'forecourt_reservation_moves_total',
  help: 'State changes of reservations, by supplier, new state and actor.',
  labelNames: ['supplier', 'state', 'actor'] as const,
  registers: [metrics],
});

const unclear = new Gauge({
  name: 'forecourt_reservations_unclear',
  help: 'Reservations whose outcome is unknown (unknown, cancel_unknown, manual_review).',
  labelNames: ['supplier', 'state'] as const,
  aggregator: 'max',
  registers: [metrics],
});

const unclearAge = new Gauge({
  name: 'forecourt_reservations_unclear_oldest_seconds',
  help: 'Age of the oldest reservation whose outcome is unknown.',
  labelNames: ['supplier', 'state'] as const,
  aggregator: 'max',
  registers: [metrics],
});

const doubled = new Counter({
  name: 'forecourt_double_bookings_total',
  help: 'Reservations for which a supplier reported more than one active booking. Must stay 0.',
  labelNames: ['supplier'] as const,
  registers: [metrics],
});

const late = new Counter({
  name: 'forecourt_late_bookings_total',
  help: 'Failed reservations whose booking the supplier made or showed later.',
  labelNames: ['supplier'] as const,
  registers: [metrics],
});

const journalMissing = new Gauge({
  name: 'forecourt_journal_missing',
  help: 'Bookings of the journal that the database did not have when the gateway started. Must stay 0.',
  aggregator: 'max',
  registers: [metrics],
});

/** Shows how many bookings of the journal the database lacks. */
export function showJournalMissing(count: number): void {
  journalMissing.set(count);
}

/** Records one statement sent to the database. */
export function countStatement(): void {
  statements.inc();
}

/** Records a reservation that entered a state. */
export function countMove(supplier: string, state: string, actor: string): void {
  reservationMoves.inc({ supplier, state, actor });
}

/** Records that a supplier holds several bookings of one reservation. */
export function countDoubleBooking(supplier: string): void {
  doubled.inc({ supplier });
}

/** Records that a supplier made or showed the booking of a failed reservation. */
export function countLateBooking(supplier: string): void {
  late.inc({ supplier });
}

/** Replaces the counts of reservations with an unknown outcome; `ageSeconds` is the age of the oldest. */
export function showUnclear(
  rows: readonly { supplier: string; state: string; count: number; ageSeconds: number }[],
): void {
  unclear.reset();
  unclearAge.reset();
  for (const { supplier, state, count, ageSeconds } of rows) {
    unclear.set({ supplier, state }, count);
    unclearAge.set({ supplier, state }, ageSeconds);
  }
}

/** Records one answered request and its duration. */
export function observeRequest(route: string, method: string, status: number, ms: number): void {
  requestSeconds.observe({ route, method, status }, ms / 1000);
}

/** Records one supplier call and its duration. */
export function observeSupplier(supplier: string, operation: string, outcome: string, ms: number): void {
  supplierSeconds.observe({ supplier, operation, outcome }, ms / 1000);
}

/** Records warnings about the answer of a supplier. */
export function countWarnings(supplier: string, operation: string, kind: string, times: number): void {
  warnings.inc({ supplier, operation, kind }, times);
}

/** Records a supplier call that was aborted. */
export function observeCutOff(supplier: string, operation: string): void {
  lateAnswers.inc({ supplier, operation });
}
