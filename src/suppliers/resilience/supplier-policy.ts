import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import type { Operation, SupplierHttpAnswer } from '../../model/supplier.js';
import type { CallHandle } from '../http-client.js';
import type { BreakerReason, BreakerState } from './breaker.js';
import { Bulkhead, type BulkheadRejection, type Lane, retryAfterMs } from './bulkhead.js';
import { type CallProgress, OperationPolicy } from './operation-policy.js';

/** Hears what the policies of suppliers do: metrics, log, other gateways. */
export interface ResilienceWatch {
  /** A new breaker, closed. */
  guarded(supplier: string, operation: Operation): void;
  /** `openMs`: for how long an open one stays so. */
  moved(supplier: string, operation: Operation, state: BreakerState, reason: BreakerReason, openMs: number): void;
  refused(supplier: string, operation: Operation, why: BulkheadRejection | 'circuit_open'): void;
  retried(supplier: string, operation: Operation): void;
  queued(supplier: string, length: number): void;
  paused(supplier: string, ms: number): void;
}

const nothing = (): void => undefined;

const UNHEARD: ResilienceWatch = {
  guarded: nothing,
  moved: nothing,
  refused: nothing,
  retried: nothing,
  queued: nothing,
  paused: nothing,
};

const OPERATIONS = ['searchLocations', 'searchVehicles', 'priceCheck', 'book', 'retrieve', 'modify', 'cancel'] as const;

/** Everything that keeps one sick supplier from harming others, and us from harming a supplier: a breaker and a retry budget each operation, one bulkhead. */
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

  /** Runs one operation: refuses it, makes it, repeats it, learns from it. */
  run<T>(call: CallProgress, attempt: () => Promise<T>): Promise<T> {
    return this.#operations.get(call.operation)?.run(call, attempt) ?? attempt();
  }

  /** Sends one HTTP call of an operation when it is its turn. */
  async send(
    call: CallProgress,
    handle: CallHandle,
    work: () => Promise<SupplierHttpAnswer>,
  ): Promise<SupplierHttpAnswer> {
    const { id, timeoutMs, resilience } = this.config;
    const answer = await this.#bulkhead.pass(
      {
        lane: laneOf(call),
        patienceMs: timeoutMs[call.operation] * resilience.bulkhead.waitShare,
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

  /** Another gateway has opened the breaker of this operation for `ms` more. */
  openFor(operation: string, ms: number): void {
    for (const [known, policy] of this.#operations) if (known === operation) policy.breaker?.openFor(ms);
  }

  /**
   * Another policy stands for the supplier from here on, or none. What calls that are still under way do to this one is told to nobody: it would be
   * taken for the state of its successor.
   */
  retire(): void {
    for (const [operation, { breaker }] of this.#operations) if (breaker) this.watch.guarded(this.config.id, operation);
    this.watch.queued(this.config.id, 0);
    this.watch = UNHEARD;
  }

  #pause(ms: number): void {
    if (ms === 0) return;
    this.#bulkhead.pause(ms);
    this.watch.paused(this.config.id, ms);
  }
}

function laneOf({ operation, hasWritten }: CallProgress): Lane {
  if (hasWritten || operation === 'retrieve' || operation === 'modify' || operation === 'cancel') return 'must';
  return operation === 'priceCheck' || operation === 'book' ? 'booking' : 'search';
}
