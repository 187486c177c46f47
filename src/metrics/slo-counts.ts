import { Counter, Gauge } from 'prom-client';
import { BURN_PAIRS, burnLimit } from './burn-limits.js';
import { metrics } from './metrics.js';

/** An expectation about the gateway or about one supplier. */
export interface Objective {
  readonly slo: 'searches' | 'bookings' | 'tokens' | 'supplier_availability' | 'supplier_latency';
  /** Empty = the gateway itself. */
  readonly supplier: string;
  /** Share of good events. */
  readonly target: number;
  readonly windowDays: number;
  /** For supplier_latency: the longest time of a good call, in milliseconds. */
  readonly underMs?: number;
}

/** An objective and the events counted since it was set. */
export interface CountedObjective extends Objective {
  good: number;
  bad: number;
}

/** How a supplier's call counts: it answered, it failed, or it says nothing about the supplier. */
export type CallVerdict = 'good' | 'bad' | 'none';

/** Counts the events of objectives: two additions per event, no clock, no labels, and nothing for what has no objective. */
export class SloCounts {
  readonly #counted = new Map<string, CountedObjective>();
  #searches: CountedObjective | undefined;
  #bookings: CountedObjective | undefined;
  #tokens: CountedObjective | undefined;
  readonly #availability = new Map<string, CountedObjective>();
  readonly #latency = new Map<string, CountedObjective>();

  /** Replaces the objectives. Those that were set before keep their counts. */
  set(objectives: readonly Objective[]): void {
    const before = new Map(this.#counted);
    this.#counted.clear();
    this.#availability.clear();
    this.#latency.clear();
    for (const objective of objectives) {
      const key = `${objective.slo} ${objective.supplier}`;
      const known = before.get(key);
      const counted = known ? Object.assign(known, objective) : { ...objective, good: 0, bad: 0 };
      this.#counted.set(key, counted);
      if (objective.slo === 'supplier_availability') this.#availability.set(objective.supplier, counted);
      if (objective.slo === 'supplier_latency') this.#latency.set(objective.supplier, counted);
    }
    this.#searches = this.#counted.get('searches ');
    this.#bookings = this.#counted.get('bookings ');
    this.#tokens = this.#counted.get('tokens ');
  }

  /** In the order in which they were set. */
  get all(): readonly CountedObjective[] {
    return [...this.#counted.values()];
  }

  /**
   * Counts a request by its route or path. 408 and 5xx are bad, 2xx and 404 good; the rest (invalid, not allowed, limited) says
   * nothing about the gateway. Reading a reservation isn't a booking.
   */
  request(method: string, path: string, status: number): void {
    const objective = this.#objectiveOf(method, path);
    if (objective === undefined) return;
    if (status >= 500 || status === 408) objective.bad += 1;
    else if (status < 300 || status === 404) objective.good += 1;
  }

  /** Counts a call of a supplier. */
  call(supplier: string, operation: string, outcome: string, verdict: CallVerdict, ms: number): void {
    const availability = this.#availability.get(supplier);
    if (availability === undefined || verdict === 'none') return;
    availability[verdict] += 1;
    if (!operation.startsWith('search')) return;
    const latency = this.#latency.get(supplier);
    if (latency === undefined) return;
    if (outcome === 'timeout' || (verdict === 'good' && ms > (latency.underMs ?? 0))) latency.bad += 1;
    else if (verdict === 'good') latency.good += 1;
  }

  #objectiveOf(method: string, path: string): CountedObjective | undefined {
    if (path.startsWith('/cars/locations') || path.startsWith('/cars/catalog')) return this.#searches;
    if (path.startsWith('/cars/reservation')) return method === 'GET' ? undefined : this.#bookings;
    return path.startsWith('/oauth/token') ? this.#tokens : undefined;
  }
}

/** The objectives of this process. */
export const sloCounts = new SloCounts();

const labelNames = ['slo', 'supplier'] as const;

new Counter({
  name: 'forecourt_slo_events_total',
  help: 'Requests and supplier calls that count for an objective, by result: good or bad.',
  labelNames: [...labelNames, 'result'] as const,
  registers: [metrics],
  collect() {
    this.reset();
    for (const { slo, supplier, good, bad } of sloCounts.all) {
      this.inc({ slo, supplier, result: 'good' }, good);
      this.inc({ slo, supplier, result: 'bad' }, bad);
    }
  },
});

new Gauge({
  name: 'forecourt_slo_target',
  help: 'Objective: the share of events that should be good.',
  labelNames,
  aggregator: 'max',
  registers: [metrics],
  collect() {
    this.reset();
    for (const { slo, supplier, target } of sloCounts.all) this.set({ slo, supplier }, target);
  },
});

new Gauge({
  name: 'forecourt_slo_burn_limit',
  help: 'Share of bad events above which a window pair alerts: fast (1 h and 5 min) or slow (6 h and 30 min).',
  labelNames: [...labelNames, 'pair'] as const,
  aggregator: 'max',
  registers: [metrics],
  collect() {
    this.reset();
    for (const objective of sloCounts.all)
      for (const pair of BURN_PAIRS)
        this.set({ slo: objective.slo, supplier: objective.supplier, pair: pair.name }, burnLimit(objective, pair));
  },
});

const minimum = new Gauge({
  name: 'forecourt_slo_minimum_failures',
  help: 'Bad events in the long window below which a window pair does not alert.',
  labelNames: ['pair'] as const,
  aggregator: 'max',
  registers: [metrics],
});

/** Shows how many failures a burn needs; `failures` is the setting `slo.minimumFailures`. */
export function showMinimumFailures(failures: number): void {
  for (const pair of BURN_PAIRS) minimum.set({ pair: pair.name }, failures * pair.failures);
}
