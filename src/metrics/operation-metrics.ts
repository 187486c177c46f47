import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge } from 'prom-client';
import { metrics } from './metrics.js';

/** What an email came to: `failed` is tried again, `refused` by the server and `lost` after a day are given up. */
export type MailResult = 'sent' | 'failed' | 'refused' | 'lost';

const mails = new Counter({
  name: 'forecourt_mails_total',
  help: 'Emails by result: sent; failed (tried again); refused by the mail server; lost (not delivered within a day).',
  labelNames: ['result'] as const,
  registers: [metrics],
});
for (const result of ['sent', 'failed', 'refused', 'lost']) mails.inc({ result }, 0);

/** Counts emails by what became of them. */
export function countMails(result: MailResult, count = 1): void {
  mails.inc({ result }, count);
}

const lastRound = new Gauge({
  name: 'forecourt_reconciler_last_round_timestamp_seconds',
  help: 'When the reconciler last asked the database for due reservations; 0 = never, or this gateway does no background work.',
  aggregator: 'max',
  registers: [metrics],
});

/** Records that the reconciler asked for due reservations and got an answer. */
export function showReconcilerRound(): void {
  lastRound.setToCurrentTime();
}

const lastErasure = new Gauge({
  name: 'forecourt_erasure_last_round_timestamp_seconds',
  help: "When renters' data whose retention time has passed was last erased completely; 0 = never, or this gateway does no background work.",
  aggregator: 'max',
  registers: [metrics],
});

/** Records that no renters' data is left whose retention time has passed. */
export function showErasureRound(): void {
  lastErasure.setToCurrentTime();
}

const lastCopies = new Gauge({
  name: 'forecourt_changes_copied_timestamp_seconds',
  help: 'When all changes of the audit log were last copied beside the journal of bookings, or the gateway started; 0 = this gateway copies none.',
  aggregator: 'max',
  registers: [metrics],
});

/** Records that all changes of the audit log are copied, or that copying begins. */
export function showChangesCopied(): void {
  lastCopies.setToCurrentTime();
}

/** When that was, in epoch milliseconds; 0 = this process copies none. */
export async function changesCopiedAt(): Promise<number> {
  return ((await lastCopies.get()).values[0]?.value ?? 0) * 1_000;
}

let partsUp: (() => Promise<Readonly<Record<string, boolean>>>) | undefined;

new Gauge({
  name: 'forecourt_part_up',
  help: 'Whether a part that the gateway needs works: store, database, clock (agrees with the clock of the database).',
  labelNames: ['part'] as const,
  aggregator: 'min',
  registers: [metrics],
  async collect() {
    for (const [part, isUp] of Object.entries((await partsUp?.()) ?? {})) this.set({ part }, isUp ? 1 : 0);
  },
});

/** Shows which parts work when metrics are collected. */
export function showParts(read: () => Promise<Readonly<Record<string, boolean>>>): void {
  partsUp = read;
}

new Gauge({
  name: 'forecourt_heap_limit_bytes',
  help: 'Heap at which the process runs out of memory.',
  registers: [metrics],
  collect() {
    this.set(getHeapStatistics().heap_size_limit);
  },
});
