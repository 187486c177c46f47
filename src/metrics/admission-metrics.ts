import { Counter, Gauge } from 'prom-client';
import { metrics } from './metrics.js';

const refused = new Counter({
  name: 'forecourt_requests_refused_total',
  help: 'Requests refused with 503 because the process had more to do than it can, by kind: booking (a reservation) or other.',
  labelNames: ['kind'] as const,
  registers: [metrics],
});

/** What `showAdmission` reads when metrics are collected. */
interface AdmissionState {
  readonly limit: number;
  readonly running: number;
  readonly waiting: number;
}

/** Records a request that was refused before any work. */
export function observeRefusal(kind: 'booking' | 'other'): void {
  refused.inc({ kind });
}

let read: (() => AdmissionState) | undefined;
const gauges = [
  ['limit', 'Requests that the process works on at a time, adapted to its event loop.'],
  ['running', 'Requests that the process is working on.'],
  ['waiting', 'Requests that wait to begin.'],
] as const;
for (const [name, help] of gauges)
  new Gauge({
    name: `forecourt_admission_${name}`,
    help,
    registers: [metrics],
    collect() {
      if (read) this.set(read()[name]);
    },
  });

/** Shows the state of the newest application of the process at each scrape. */
export function showAdmission(state: () => AdmissionState): void {
  read = state;
}
