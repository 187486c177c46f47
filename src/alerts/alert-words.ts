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

/** A supplier that the gateway returned to shadow. */
export interface SupplierReturn {
  readonly key: string;
  readonly supplier: string;
  /** With the figures. */
  readonly why: string;
  readonly figures: { readonly bad: number; readonly votes: number; readonly accounts: number; readonly share: number };
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** An operator ends it, which is not announced. */
  readonly endedAt: undefined;
}

/** What operators are notified of. */
export type Notice = BurnAlert | SupplierReturn;

const SUBJECTS = {
  searches: ['Searches', 'searches fail', 'search-failures'],
  bookings: ['Bookings', 'changes to reservations fail', 'booking-failures'],
  tokens: ['Tokens', 'token operations fail', 'token-failures'],
  supplier_availability: ['Supplier', 'calls of the supplier fail', 'supplier-failures'],
  supplier_latency: ['SupplierLatency', 'searches of the supplier are too slow', 'supplier-latency'],
} as const;

/** The words of an alert. */
export function wordsOf(notice: Notice): AlertWords {
  return 'why' in notice ? returnWords(notice) : burnWords(notice);
}

function returnWords({ supplier, why }: SupplierReturn): AlertWords {
  return {
    name: 'ForecourtSupplierReturned',
    severity: 'critical',
    summary: `${supplier} was returned to shadow`,
    description: `${why}. An operator must bring it back.`,
    runbook: 'docs/runbooks/supplier-failures.md',
  };
}

function burnWords({ objective, pair, seen, isOutage, endedAt }: BurnAlert): AlertWords {
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
