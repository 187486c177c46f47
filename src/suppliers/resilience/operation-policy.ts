import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { type Operation, SupplierError } from '../../model/supplier.js';
import { Breaker, type BreakerReason, type BreakerState } from './breaker.js';
import { CallRejectedError } from './call-rejected.js';
import { RetryBudget } from './retry-budget.js';
import type { Health } from './rolling-window.js';

/** The state of a running call that the policy needs. */
export interface CallProgress {
  readonly operation: Operation;
  /** When it times out, on the clock of performance.now. */
  readonly endsAtMs: number;
  /** Milliseconds that it waited in the bulkhead; the supplier isn't to blame for them. */
  heldMs: number;
  /** Whether an HTTP call that isn't `repeatable` may have been sent. */
  hasWritten: boolean;
  /** Whether it was aborted. */
  isOver: boolean;
}

/** Is notified of what the policy of one operation does. */
export interface OperationWatch {
  /** A breaker was created; it is closed. */
  guarded(): void;
  moved(state: BreakerState, reason: BreakerReason, openMs: number): void;
  refused(): void;
  retried(): void;
}

/** Operations on existing reservations, which no breaker blocks. */
const NEVER_BLOCKED: ReadonlySet<Operation> = new Set(['retrieve', 'modify', 'cancel']);

/** Reads that are safe to retry. A price check isn't, because it may hold a car at a two-step supplier. */
const RETRYABLE: ReadonlySet<Operation> = new Set(['searchLocations', 'searchVehicles', 'retrieve']);

const UNHEALTHY: readonly SupplierError['fault'][] = ['timeout', 'unavailable', 'bad_payload'];

/** The breaker and retry budget of one operation of one supplier. */
export class OperationPolicy {
  /** Undefined if the operation is never blocked. */
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
    if (!NEVER_BLOCKED.has(operation)) {
      this.breaker = new Breaker(
        breaker,
        () => performance.now(),
        (state, reason) => watch.moved(state, reason, breaker.openMs),
      );
      watch.guarded();
    }
    if (RETRYABLE.has(operation)) this.#budget = new RetryBudget(retry.share);
    this.#timeoutMs = timeoutMs[operation];
    this.#slowMs = this.#timeoutMs * breaker.slowShare;
    this.#baseMs = retry.baseMs;
  }

  /**
   * Makes the call and retries it once if that is safe. Rejects with `circuit_open` without sending anything if the
   * breaker is open.
   */
  async run<T>(call: CallProgress, attempt: () => Promise<T>): Promise<T> {
    this.#budget?.deposit();
    try {
      return await this.#once(call, attempt);
    } catch (error) {
      if (!(await this.#shouldRetry(call, error))) throw error;
      return this.#once(call, attempt);
    }
  }

  async #once<T>(call: CallProgress, attempt: () => Promise<T>): Promise<T> {
    const permit = this.breaker?.admit();
    if (this.breaker && permit === undefined) {
      this.watch.refused();
      throw new CallRejectedError('circuit_open', 'the circuit breaker is open after repeated failures');
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
    // A call with little time, or canceled early, shows nothing about the supplier; a long wait without an answer does.
    if (fault === 'cancelled') return this.#isSlow(call, startedAt) ? 'slow' : 'unknown';
    if (fault === 'timeout' && call.endsAtMs - startedAt < this.#slowMs) return 'unknown';
    return UNHEALTHY.includes(fault) ? 'failed' : 'good';
  }

  /** Waits before it returns true. Full jitter keeps calls that failed together from being retried together. */
  async #shouldRetry(call: CallProgress, error: unknown): Promise<boolean> {
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
