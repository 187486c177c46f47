import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { loopLag } from '../../metrics/loop-lag.js';
import { type Operation, SupplierError } from '../../model/supplier.js';
import { ApplicationBreakers, type Permit } from './application-breakers.js';
import type { BreakerReason, BreakerState } from './breaker.js';
import { CallRejectedError } from './call-rejected.js';
import { type Caller, PerApplication } from './caller.js';
import type { Health } from './evidence.js';
import { RetryBudget } from './retry-budget.js';

/** The state of a running call that the policy needs. */
export interface CallProgress {
  readonly operation: Operation;
  readonly requestId: string;
  readonly caller: Caller;
  /** Identifies what it asks (questionOf); undefined if it asks something that no other call does. */
  readonly question?: number | undefined;
  /** When it times out, on the clock of performance.now. */
  readonly endsAtMs: number;
  /** Milliseconds that it waited in the bulkhead or for a thread; the supplier isn't to blame for them. */
  heldMs: number;
  /** When an answer arrived that waits for a thread to read it. */
  unreadSinceMs: number | undefined;
  /** Whether an HTTP call that isn't `repeatable` may have been sent. */
  hasWritten: boolean;
  /** Whether it was aborted. */
  isOver: boolean;
}

/** Is notified of what the policy of one operation does. */
export interface OperationWatch {
  /** The breakers of `scope` changed state (application-breakers.ts) because of a call of this request. */
  moved(scope: string, state: BreakerState, reason: BreakerReason, openMs: number, requestId: string): void;
  refused(): void;
  retried(): void;
}

/** Operations on existing reservations, which no breaker blocks. */
const NEVER_BLOCKED: ReadonlySet<Operation> = new Set(['retrieve', 'modify', 'cancel']);

/** Reads that are safe to retry. A price check isn't, because it may hold a car at a two-step supplier. */
const RETRYABLE: ReadonlySet<Operation> = new Set(['searchLocations', 'searchVehicles', 'retrieve', 'locationDetails']);

const UNHEALTHY: readonly SupplierError['fault'][] = ['timeout', 'unavailable', 'bad_payload'];

/** The breakers and retry budgets of one operation of one supplier, one per application. */
export class OperationPolicy {
  /** Undefined if the operation is never blocked. */
  readonly breakers: ApplicationBreakers | undefined;
  readonly #budgets: PerApplication<RetryBudget> | undefined;
  readonly #timeoutMs: number;
  readonly #slowMs: number;
  readonly #baseMs: number;
  /** The request of the call that is being admitted or counted. */
  #requestId = '';

  constructor(
    operation: Operation,
    { resilience, timeoutMs }: SupplierConfig,
    private readonly watch: OperationWatch,
  ) {
    const { breaker, retry } = resilience;
    if (!NEVER_BLOCKED.has(operation)) {
      this.breakers = new ApplicationBreakers(
        breaker,
        () => performance.now(),
        (scope, state, reason) => watch.moved(scope, state, reason, breaker.openMs, this.#requestId),
      );
    }
    if (RETRYABLE.has(operation)) this.#budgets = new PerApplication(() => new RetryBudget(retry.share));
    this.#timeoutMs = timeoutMs[operation];
    this.#slowMs = this.#timeoutMs * breaker.slowShare;
    this.#baseMs = retry.baseMs;
  }

  /**
   * Makes the call and retries it once if that is safe. Rejects with `circuit_open` without sending anything if the
   * breaker is open.
   */
  async run<T>(call: CallProgress, attempt: () => Promise<T>): Promise<T> {
    this.#budgets?.of(call.caller).deposit();
    try {
      return await this.#once(call, attempt);
    } catch (error) {
      if (!(await this.#shouldRetry(call, error))) throw error;
      return this.#once(call, attempt);
    }
  }

  async #once<T>(call: CallProgress, attempt: () => Promise<T>): Promise<T> {
    this.#requestId = call.requestId;
    const permit = this.breakers?.admit(call.caller);
    if (this.breakers && permit === undefined) {
      this.watch.refused();
      throw new CallRejectedError('circuit_open', 'the circuit breaker is open after repeated failures');
    }
    const startedAt = performance.now() - call.heldMs;
    const lagMs = loopLag.watch();
    try {
      const answer = await attempt();
      this.#learn(call, permit, this.#isSlow(call, startedAt + lagMs()) ? 'slow' : 'good');
      return answer;
    } catch (error) {
      this.#learn(call, permit, this.#healthOf(call, startedAt + lagMs(), error));
      throw error;
    }
  }

  #learn(call: CallProgress, permit: Permit | undefined, health: Health): void {
    this.#requestId = call.requestId;
    if (permit) this.breakers?.settle(permit, health, call.question);
  }

  /** `startedAt` is later by the time for which this process's own event loop lagged: that is not the supplier's. */
  #isSlow(call: CallProgress, startedAt: number): boolean {
    return performance.now() - startedAt - call.heldMs >= this.#slowMs;
  }

  #healthOf(call: CallProgress, startedAt: number, error: unknown): Health {
    if (error instanceof CallRejectedError) return 'unknown';
    const fault = error instanceof SupplierError ? error.fault : 'bad_payload';
    // A call with little time, be it because the gateway was busy, or canceled early, shows nothing about the supplier; a
    // long wait without an answer does.
    if (fault === 'cancelled') return this.#isSlow(call, startedAt) ? 'slow' : 'unknown';
    if (fault === 'timeout' && call.endsAtMs - startedAt - call.heldMs < this.#slowMs) return 'unknown';
    // It answered in time, but the gateway had no thread to read it.
    if (fault === 'timeout' && call.unreadSinceMs !== undefined) return 'unknown';
    return UNHEALTHY.includes(fault) ? 'failed' : 'good';
  }

  /** Waits before it returns true. Full jitter keeps calls that failed together from being retried together. */
  async #shouldRetry(call: CallProgress, error: unknown): Promise<boolean> {
    if (!(error instanceof SupplierError) || error.fault !== 'unavailable' || error instanceof CallRejectedError)
      return false;
    if (call.hasWritten || call.isOver) return false;
    const delayMs = Math.random() * this.#baseMs;
    if (call.endsAtMs - performance.now() - delayMs < this.#timeoutMs / 2) return false;
    if (this.breakers?.isClosedFor(call.caller) === false || !this.#budgets?.of(call.caller).withdraw()) return false;
    this.watch.retried();
    await new Promise<void>((resolve) => setTimeout(resolve, delayMs));
    return !call.isOver;
  }
}
