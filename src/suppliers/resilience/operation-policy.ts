import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { type Operation, SupplierError } from '../../model/supplier.js';
import { Breaker, type BreakerReason, type BreakerState } from './breaker.js';
import { CallRejectedError } from './call-rejected.js';
import { RetryBudget } from './retry-budget.js';
import type { Health } from './rolling-window.js';

/** What the policy must know of a call while it runs. */
export interface CallProgress {
  readonly operation: Operation;
  /** When its time is up, performance.now(). */
  readonly endsAtMs: number;
  /** Milliseconds for which our own gate held it back: not the supplier's slowness. */
  heldMs: number;
  /** An HTTP call that must not be repeated may have left. */
  hasWritten: boolean;
  /** Nobody waits for it any more. */
  isOver: boolean;
}

/** Hears what one operation's policy does. */
export interface OperationWatch {
  /** It has a breaker, which is closed. */
  guarded(): void;
  moved(state: BreakerState, reason: BreakerReason, openMs: number): void;
  refused(): void;
  retried(): void;
}

/** What may be asked of a supplier that looks ill: all but these, for they concern reservations that exist. */
const ALWAYS_TRIED: ReadonlySet<Operation> = new Set(['retrieve', 'modify', 'cancel']);

/** Reads whose repetition changes nothing. A price check of a two-step supplier may hold a car: it is not among them. */
const REPEATED: ReadonlySet<Operation> = new Set(['searchLocations', 'searchVehicles', 'retrieve']);

const SICK: readonly SupplierError['fault'][] = ['timeout', 'unavailable', 'bad_payload'];

/** Breaker and retry budget of one operation of one supplier. */
export class OperationPolicy {
  /** Undefined where the supplier is always tried. */
  readonly breaker: Breaker | undefined;
  readonly #budget: RetryBudget | undefined;
  readonly #timeoutMs: number;
  readonly #slowMs: number;
  readonly #baseMs: number;

  constructor(
    operation: Operation,
    { resilience, timeoutMs }: SupplierConfig,
    private readonly watch: OperationWatch,
  ) {
    const { breaker, retry } = resilience;
    if (!ALWAYS_TRIED.has(operation)) {
      this.breaker = new Breaker(
        breaker,
        () => performance.now(),
        (state, reason) => watch.moved(state, reason, breaker.openMs),
      );
      watch.guarded();
    }
    if (REPEATED.has(operation)) this.#budget = new RetryBudget(retry.share);
    this.#timeoutMs = timeoutMs[operation];
    this.#slowMs = this.#timeoutMs * breaker.slowShare;
    this.#baseMs = retry.baseMs;
  }

  /** Makes the call, once or, where that is safe, once more. Rejects with `circuit_open`, nothing sent, where it must not be made. */
  async run<T>(call: CallProgress, attempt: () => Promise<T>): Promise<T> {
    this.#budget?.deposit();
    try {
      return await this.#once(call, attempt);
    } catch (error) {
      if (!(await this.#isWorthAnother(call, error))) throw error;
      return this.#once(call, attempt);
    }
  }

  async #once<T>(call: CallProgress, attempt: () => Promise<T>): Promise<T> {
    const permit = this.breaker?.admit();
    if (this.breaker && permit === undefined) {
      this.watch.refused();
      throw new CallRejectedError('circuit_open', 'not asked after many failures');
    }
    const startedAt = performance.now() - call.heldMs;
    try {
      const answer = await attempt();
      this.#learn(permit, this.#isSlow(call, startedAt) ? 'slow' : 'good');
      return answer;
    } catch (error) {
      this.#learn(permit, this.#healthOf(call, startedAt, error));
      throw error;
    }
  }

  #learn(permit: number | undefined, health: Health): void {
    if (permit !== undefined) this.breaker?.settle(permit, health);
  }

  #isSlow(call: CallProgress, startedAt: number): boolean {
    return performance.now() - startedAt - call.heldMs >= this.#slowMs;
  }

  #healthOf(call: CallProgress, startedAt: number, error: unknown): Health {
    if (error instanceof CallRejectedError) return 'unknown';
    const fault = error instanceof SupplierError ? error.fault : 'bad_payload';
    // Who had little time, or left early, has learnt nothing about the supplier; who waited long and in vain has.
    if (fault === 'cancelled') return this.#isSlow(call, startedAt) ? 'slow' : 'unknown';
    if (fault === 'timeout' && call.endsAtMs - startedAt < this.#slowMs) return 'unknown';
    return SICK.includes(fault) ? 'failed' : 'good';
  }

  /** Waits before saying yes: full jitter, so that callers who failed together do not come back together. */
  async #isWorthAnother(call: CallProgress, error: unknown): Promise<boolean> {
    if (!(error instanceof SupplierError) || error.fault !== 'unavailable' || error instanceof CallRejectedError)
      return false;
    if (call.hasWritten || call.isOver) return false;
    const delayMs = Math.random() * this.#baseMs;
    if (call.endsAtMs - performance.now() - delayMs < this.#timeoutMs / 2) return false;
    if ((this.breaker && this.breaker.state !== 'closed') || !this.#budget?.withdraw()) return false;
    this.watch.retried();
    await new Promise<void>((resolve) => setTimeout(resolve, delayMs));
    return !call.isOver;
  }
}
