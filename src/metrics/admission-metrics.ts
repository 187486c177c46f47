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

/** Shows the state of admission at each scrape. Called once per process. */
export function showAdmission(read: () => AdmissionState): void {
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
        this.set(read()[name]);
      },
    });
}
