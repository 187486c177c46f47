import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { type Health, RollingWindow } from './rolling-window.js';

export type BreakerSettings = SupplierConfig['resilience']['breaker'];

/**
 * `closed`: calls are made. `open`: calls are rejected. `half_open`: a few probes check whether the supplier has
 * recovered.
 */
export type BreakerState = 'closed' | 'open' | 'half_open';

/**
 * Why a breaker changed state. `time`: `openMs` has passed. `other_gateway`: a gateway on the same Redis opened its
 * breaker.
 */
export type BreakerReason = 'failures' | 'slow' | 'time' | 'probe' | 'other_gateway';

/**
 * The circuit breaker of one operation of one supplier. It opens if too many recent calls failed or were slow, admits a
 * few probes after `openMs`, and closes if all of them succeed. It needs no timer, because `admit` checks the time.
 */
export class Breaker {
  readonly #window: RollingWindow;
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
    this.#window = new RollingWindow(settings.windowMs, now);
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

  /** Records the result of the call with this permit. */
  settle(permit: number, health: Health): void {
    if (permit !== this.#era) return;
    if (this.#state === 'half_open') this.#judgeProbe(health);
    else if (health !== 'unknown') this.#count(health);
  }

  /** Opens the breaker for `ms` because another gateway's did. Does nothing if it is already open. */
  openFor(ms: number): void {
    if (this.#state === 'open') return;
    this.#open(ms, 'other_gateway');
  }

  #count(health: Exclude<Health, 'unknown'>): void {
    this.#window.add(health);
    if (health === 'good') return;
    const { minCalls, failureRate, slowRate, openMs } = this.settings;
    const { calls, failed, slow } = this.#window.counts();
    if (calls < minCalls) return;
    if (failed >= calls * failureRate) this.#open(openMs, 'failures');
    // Failed calls count as slow as well: half slow and half failed is as bad as all slow.
    else if (failed + slow >= calls * slowRate) this.#open(openMs, 'slow');
  }

  #judgeProbe(health: Health): void {
    this.#probesInFlight -= 1;
    if (health === 'failed' || health === 'slow') this.#open(this.settings.openMs, 'probe');
    if (health !== 'good') return;
    this.#probesPassed += 1;
    if (this.#probesPassed < this.settings.probes) return;
    this.#window.clear();
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
