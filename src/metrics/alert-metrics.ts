import { Counter, Gauge } from 'prom-client';
import { metrics } from './metrics.js';

const notifications = new Counter({
  name: 'forecourt_alert_notifications_total',
  help: 'Notifications about alerts of the gateway itself, by channel (webhook, mail) and result: sent, failed (tried again), dropped (tried too often).',
  labelNames: ['channel', 'result'] as const,
  registers: [metrics],
});

// From the start, so that the first one is an increase.
for (const channel of ['webhook', 'mail'])
  for (const result of ['sent', 'failed', 'dropped']) notifications.inc({ channel, result }, 0);

/** Counts a notification. */
export function countNotification(channel: 'webhook' | 'mail', result: 'sent' | 'failed' | 'dropped'): void {
  notifications.inc({ channel, result });
}

/** An alert that fires, in words. */
export interface FiringAlert {
  readonly pair: { readonly name: string };
  /** '' = the gateway itself. */
  readonly supplier: string;
  /** As in deploy/prometheus/rules; ends with Fast or Slow. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

let firingNow: () => readonly FiringAlert[] = () => [];

/** The alerts that this process raises, oldest first. */
export function firingAlerts(): readonly FiringAlert[] {
  return firingNow();
}

/** Shows how many alerts of the gateway itself fire, by pair, when metrics are collected. Called once per process. */
export function showFiring(read: () => readonly FiringAlert[]): void {
  firingNow = read;
  new Gauge({
    name: 'forecourt_alerts_firing',
    help: 'Burn alerts that this gateway itself raises, by window pair: fast or slow.',
    labelNames: ['pair'] as const,
    registers: [metrics],
    collect() {
      const firing = read();
      for (const pair of ['fast', 'slow'])
        this.set({ pair }, firing.filter((alert) => alert.pair.name === pair).length);
    },
  });
}
