import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { Evidence, type Health } from './evidence.js';

export type BreakerSettings = SupplierConfig['resilience']['breaker'];

/**
 * `closed`: calls are made. `open`: calls are rejected. `half_open`: a few probes check whether the supplier has
 * recovered.
 */
export type BreakerState = 'closed' | 'open' | 'half_open';

/**
 * Why a breaker changed state. `time`: `openMs` has passed. `others`: the supplier fails other applications.
 * `other_gateway`: a gateway on the same Redis opened its breaker.
 */
export type BreakerReason = 'failures' | 'slow' | 'time' | 'probe' | 'others' | 'other_gateway';

/** Sums of shares can be slightly off an integer. */
const ROUNDING = 1e-6;

/** Whether `failed` and `slow` of `total` are too many; undefined if they are not. */
export function faultOf(
  { failureRate, slowRate }: BreakerSettings,
  { total, failed, slow }: { readonly total: number; readonly failed: number; readonly slow: number },
): 'failures' | 'slow' | undefined {
  if (total === 0) return undefined;
  if (failed >= total * failureRate - ROUNDING) return 'failures';
  // Failed calls count as slow as well: half slow and half failed is as bad as all slow.
  return failed + slow >= total * slowRate - ROUNDING ? 'slow' : undefined;
}

/**
 * The circuit breaker of one application for one operation of one supplier. It opens if too many of the application's
 * recent questions failed or were slow, admits a few probes after `openMs`, and closes if all of them succeed. It needs
 * no timer, because `admit` checks the time.
 */
export class Breaker {
  /** The calls since it last closed. */
  readonly evidence: Evidence;
  #state: BreakerState = 'closed';
  #openUntilMs = 0;
  #probesInFlight = 0;
  #probesPassed = 0;
  /** Increases with each change of state, so that results of calls from an earlier state are ignored. */
  #era = 0;

  /** `now` is a monotonic clock in milliseconds; `changed` is called after each change of state. */
  constructor(
    private readonly settings: BreakerSettings,
    private readonly now: () => number,
    private readonly changed: (state: BreakerState, reason: BreakerReason) => void,
  ) {
    this.evidence = new Evidence(settings.windowMs, now);
  }

  get state(): BreakerState {
    return this.#state;
  }

  /**
   * Returns a permit for one call, which must be passed to `settle` exactly once, or undefined if the call must not be
   * made.
   */
  admit(): number | undefined {
    if (this.#state === 'closed') return this.#era;
    if (this.#state === 'open') {
      if (this.now() < this.#openUntilMs) return undefined;
      this.#enter('half_open', 'time');
    }
    if (this.#probesInFlight + this.#probesPassed >= this.settings.probes) return undefined;
    this.#probesInFlight += 1;
    return this.#era;
  }

  /**
   * Records the result of the call with this permit; without `question`, it asked something that no other call did.
   * Returns whether it counts against the supplier.
   */
  settle(permit: number, health: Health, question?: number): boolean {
    if (permit !== this.#era) return false;
    if (health === 'unknown') {
      if (this.#state === 'half_open') this.#probesInFlight -= 1;
      return false;
    }
    this.evidence.add(health, question);
    if (this.#state === 'half_open') this.#judgeProbe(health, question);
    else if (health !== 'good') this.#judge();
    return health !== 'good';
  }

  /** Opens the breaker for `ms` because of calls that it didn't see. Does nothing if it is already open. */
  openFor(ms: number, reason: 'others' | 'other_gateway'): void {
    if (this.#state === 'open') return;
    this.#open(ms, reason);
  }

  /** Whether the supplier serves this application, by its own calls. False without any. */
  isServed(): boolean {
    const { questions, failed, slow } = this.evidence.totals();
    return questions > 0 && faultOf(this.settings, { total: questions, failed, slow }) === undefined;
  }

  #judge(): void {
    const { calls, questions, failed, slow } = this.evidence.totals();
    if (calls < this.settings.minCalls) return;
    const fault = faultOf(this.settings, { total: questions, failed, slow });
    if (fault) this.#open(this.settings.openMs, fault);
  }

  #judgeProbe(health: Exclude<Health, 'unknown'>, question: number | undefined): void {
    this.#probesInFlight -= 1;
    if (health !== 'good') {
      this.#open(this.settings.openMs, 'probe');
      return;
    }
    this.#probesPassed += 1;
    if (this.#probesPassed < this.settings.probes) return;
    this.evidence.clear();
    this.evidence.add(health, question);
    this.#enter('closed', 'probe');
  }

  #open(ms: number, reason: BreakerReason): void {
    this.#openUntilMs = this.now() + ms;
    this.#enter('open', reason);
  }

  #enter(state: BreakerState, reason: BreakerReason): void {
    this.#state = state;
    this.#era += 1;
    this.#probesInFlight = 0;
    this.#probesPassed = 0;
    this.changed(state, reason);
  }
}
