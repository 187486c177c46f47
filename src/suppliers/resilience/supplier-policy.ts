import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import type { Operation, SupplierHttpAnswer } from '../../model/supplier.js';
import type { CallHandle } from '../http-client.js';
import type { BreakerReason, BreakerState } from './breaker.js';
import { Bulkhead, type BulkheadRejection, type Priority, retryAfterMs } from './bulkhead.js';
import { type CallProgress, OperationPolicy } from './operation-policy.js';

/** Is notified of what the policies do, for metrics, log and other gateways. */
export interface ResilienceWatch {
  /** A breaker was created; it is closed. */
  guarded(supplier: string, operation: Operation): void;
  /** A breaker changed state. If it opened, it stays open for `openMs`. */
  moved(supplier: string, operation: Operation, state: BreakerState, reason: BreakerReason, openMs: number): void;
  refused(supplier: string, operation: Operation, why: BulkheadRejection | 'circuit_open'): void;
  retried(supplier: string, operation: Operation): void;
  queued(supplier: string, length: number): void;
  paused(supplier: string, ms: number): void;
}

const nothing = (): void => undefined;

const NO_WATCH: ResilienceWatch = {
  guarded: nothing,
  moved: nothing,
  refused: nothing,
  retried: nothing,
  queued: nothing,
  paused: nothing,
};

const OPERATIONS = ['searchLocations', 'searchVehicles', 'priceCheck', 'book', 'retrieve', 'modify', 'cancel'] as const;

/**
 * Keeps a failing supplier from affecting others, and the gateway from overloading a supplier: a breaker and a retry
 * budget per operation, and one bulkhead.
 */
export class SupplierPolicy {
  readonly #operations: ReadonlyMap<Operation, OperationPolicy>;
  readonly #bulkhead: Bulkhead;

  constructor(
    private readonly config: SupplierConfig,
    private watch: ResilienceWatch,
  ) {
    const { id, connections, quota, resilience } = config;
    const policyOf = (operation: Operation): OperationPolicy =>
      new OperationPolicy(operation, config, {
        guarded: () => this.watch.guarded(id, operation),
        moved: (state, reason, openMs) => this.watch.moved(id, operation, state, reason, openMs),
        refused: () => this.watch.refused(id, operation, 'circuit_open'),
        retried: () => this.watch.retried(id, operation),
      });
    this.#operations = new Map(OPERATIONS.map((operation) => [operation, policyOf(operation)]));
    this.#bulkhead = new Bulkhead(
      { connections, quota, bulkhead: resilience.bulkhead },
      () => performance.now(),
      (length) => this.watch.queued(id, length),
    );
  }

  /** Runs one operation, unless its breaker is open, and retries it if that is safe. */
  run<T>(call: CallProgress, attempt: () => Promise<T>): Promise<T> {
    return this.#operations.get(call.operation)?.run(call, attempt) ?? attempt();
  }

  /** Sends one HTTP call of an operation as soon as the bulkhead admits it. */
  async send(
    call: CallProgress,
    handle: CallHandle,
    work: () => Promise<SupplierHttpAnswer>,
  ): Promise<SupplierHttpAnswer> {
    const { id, timeoutMs, resilience } = this.config;
    const answer = await this.#bulkhead.pass(
      {
        priority: priorityOf(call),
        maxWaitMs: timeoutMs[call.operation] * resilience.bulkhead.waitShare,
        handle,
        held: (ms) => {
          call.heldMs += ms;
        },
        refused: (why) => this.watch.refused(id, call.operation, why),
      },
      work,
    );
    if (answer.status === 429) this.#pause(retryAfterMs(answer.headers['retry-after'], Date.now()));
    return answer;
  }

  /** Opens the breaker of this operation for `ms` because another gateway's did. */
  openFor(operation: string, ms: number): void {
    for (const [known, policy] of this.#operations) if (known === operation) policy.breaker?.openFor(ms);
  }

  /**
   * Stops reporting, because another policy replaces this one or the supplier was removed. Otherwise calls in flight
   * would change the reported state of its successor.
   */
  retire(): void {
    for (const [operation, { breaker }] of this.#operations) if (breaker) this.watch.guarded(this.config.id, operation);
    this.watch.queued(this.config.id, 0);
    this.watch = NO_WATCH;
  }

  #pause(ms: number): void {
    if (ms === 0) return;
    this.#bulkhead.pause(ms);
    this.watch.paused(this.config.id, ms);
  }
}

function priorityOf({ operation, hasWritten }: CallProgress): Priority {
  if (hasWritten || operation === 'retrieve' || operation === 'modify' || operation === 'cancel') return 'essential';
  return operation === 'priceCheck' || operation === 'book' ? 'booking' : 'search';
}
