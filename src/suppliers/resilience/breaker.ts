import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { type Health, RollingWindow } from './rolling-window.js';

export type BreakerSettings = SupplierConfig['resilience']['breaker'];

/** `closed`: calls are made. `open`: none is. `half_open`: a few are, to see whether the supplier is well again. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** What moved a breaker. `probe`: the calls of a half-open one went badly or well. `other_gateway`: one that shares the Redis has opened its own. */
export type BreakerReason = 'failures' | 'slow' | 'time' | 'probe' | 'other_gateway';

/**
 * The circuit breaker of one operation of one supplier: opens when too many of the last calls failed or were slow, lets a few probes through after
 * `openMs`, closes when all of them went well. It holds no timer: time passes when somebody asks. Every decision is local.
 */
export class Breaker {
  readonly #window: RollingWindow;
  #state: BreakerState = 'closed';
  #openUntilMs = 0;
  #probesUnderWay = 0;
  #probesPassed = 0;
  /** Grows with each change of state: what a call found out under an earlier state is no news. */
  #era = 0;

  /** `now` in milliseconds of a clock that never goes back; `changed` is told after each change of state. */
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

  /** Asks for one call: a permit, to be given back with `settle` exactly once, or undefined when the call must not be made. */
  admit(): number | undefined {
    if (this.#state === 'closed') return this.#era;
    if (this.#state === 'open') {
      if (this.now() < this.#openUntilMs) return undefined;
      this.#enter('half_open', 'time');
    }
    if (this.#probesUnderWay + this.#probesPassed >= this.settings.probes) return undefined;
    this.#probesUnderWay += 1;
    return this.#era;
  }

  /** The call of this permit has ended. */
  settle(permit: number, health: Health): void {
    if (permit !== this.#era) return;
    if (this.#state === 'half_open') this.#judgeProbe(health);
    else if (health !== 'unknown') this.#count(health);
  }

  /** Another gateway has opened its breaker for `ms` more; nothing happens to one that is open already. */
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
    // A call that timed out was slow, too: half of each is as useless as all of one.
    else if (failed + slow >= calls * slowRate) this.#open(openMs, 'slow');
  }

  #judgeProbe(health: Health): void {
    this.#probesUnderWay -= 1;
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
    this.#probesUnderWay = 0;
    this.#probesPassed = 0;
    this.changed(state, reason);
  }
}
