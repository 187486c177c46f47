import type { BurnAlert } from './burn-alerts.js';

/** What an alert says, in webhooks and emails. */
export interface AlertWords {
  /** The rule of the same name in deploy/prometheus/rules, so that both can be silenced and routed alike. */
  readonly name: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  readonly description: string;
  /** In the repository. */
  readonly runbook: string;
}

const SUBJECTS = {
  searches: ['Searches', 'searches fail', 'search-failures'],
  bookings: ['Bookings', 'changes to reservations fail', 'booking-failures'],
  tokens: ['Tokens', 'token operations fail', 'token-failures'],
  supplier_availability: ['Supplier', 'calls of the supplier fail', 'supplier-failures'],
  supplier_latency: ['SupplierLatency', 'searches of the supplier are too slow', 'supplier-latency'],
} as const;

/** The words of an alert. */
export function wordsOf({ objective, pair, seen, isOutage, endedAt }: BurnAlert): AlertWords {
  const [name, what, runbook] = SUBJECTS[objective.slo];
  const isFast = pair.name === 'fast';
  const subject = objective.supplier === '' ? what : what.replace('the supplier', objective.supplier);
  const hours = pair.longMs / 3_600_000;
  const events = seen.good + seen.bad;
  const share = events === 0 ? '0' : ((100 * seen.bad) / events).toFixed(1);
  return {
    name: `Forecourt${name}Burn${isFast ? 'Fast' : 'Slow'}`,
    severity: isFast ? 'critical' : 'warning',
    summary: `${subject}: the error budget burns ${isFast ? 'fast' : 'slowly'}`,
    description: `${seen.bad} of ${events} (${share} %) in the last ${isOutage && endedAt === undefined ? 'minute' : hours === 1 ? 'hour' : `${hours} hours`}; the objective allows ${percent(1 - objective.target)} %.`,
    runbook: `docs/runbooks/${runbook}.md`,
  };
}

function percent(share: number): string {
  return String(Math.round(share * 100_000) / 1_000);
}
