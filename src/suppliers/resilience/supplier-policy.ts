import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import type { BreakerOverview } from '../../metrics/supplier-resilience.js';
import { OPERATIONS, type Operation, type SupplierHttpAnswer } from '../../model/supplier.js';
import type { CallHandle } from '../http-client.js';
import type { BreakerReason, BreakerState } from './breaker.js';
import { Bulkhead, type BulkheadRejection, type Priority } from './bulkhead.js';
import { type CallProgress, OperationPolicy } from './operation-policy.js';
import { SupplierPlaces } from './supplier-places.js';
import { retryAfterMs } from './supplier-retry-after.js';

/** Is notified of what the policies do, for metrics, log and other gateways. */
export interface ResilienceWatch {
  /** Breakers of this operation were created; `overview` reads their state until the returned function is called. */
  guarded(supplier: string, operation: Operation, overview: () => BreakerOverview): () => void;
  /**
   * The breakers of `scope` changed state (application-breakers.ts) because of a call of this request. If they opened,
   * they stay open for `openMs`.
   */
  moved(
    supplier: string,
    operation: Operation,
    scope: string,
    state: BreakerState,
    reason: BreakerReason,
    openMs: number,
    requestId: string,
  ): void;
  /** A call wasn't made, or (`unread`) the gateway couldn't read its answer. */
  refused(supplier: string, operation: Operation, why: BulkheadRejection | 'circuit_open' | 'unread'): void;
  retried(supplier: string, operation: Operation): void;
  queued(supplier: string, length: number): void;
  /** The supplier requested a pause in the answer to this call. */
  paused(supplier: string, ms: number, call: CallProgress): void;
}

const nothing = (): void => undefined;

const NO_WATCH: ResilienceWatch = {
  guarded: () => nothing,
  moved: nothing,
  refused: nothing,
  retried: nothing,
  queued: nothing,
  paused: nothing,
};

/** The share of a timeout that must be left to send a call after a pause. */
const LAST_SHARE = 0.1;

/** How often one call is sent again after a 429; a supplier that limits the gateway must not get many calls for one. */
const MOST_REPEATS = 3;

/**
 * Keeps a failing supplier from affecting others, the gateway from overloading a supplier, and one account from
 * depriving others of the supplier: breakers and retry budgets per operation, and places that accounts share.
 */
export class SupplierPolicy {
  readonly #operations: ReadonlyMap<Operation, OperationPolicy>;
  readonly #places: SupplierPlaces;
  readonly #scenarioBulkhead: Bulkhead;
  readonly #unwatch: (() => void)[] = [];

  constructor(
    private readonly config: SupplierConfig,
    private watch: ResilienceWatch,
  ) {
    const { id, connections, quota, resilience } = config;
    const policyOf = (operation: Operation): OperationPolicy =>
      new OperationPolicy(operation, config, {
        moved: (scope, state, reason, openMs, requestId) =>
          this.watch.moved(id, operation, scope, state, reason, openMs, requestId),
        refused: () => this.watch.refused(id, operation, 'circuit_open'),
        retried: () => this.watch.retried(id, operation),
      });
    this.#operations = new Map(OPERATIONS.map((operation) => [operation, policyOf(operation)]));
    for (const [operation, { breakers }] of this.#operations)
      if (breakers) this.#unwatch.push(watch.guarded(id, operation, () => breakers.overview()));
    this.#places = new SupplierPlaces(
      { connections, quota, bulkhead: resilience.bulkhead },
      () => performance.now(),
      (length) => this.watch.queued(id, length),
    );
    this.#scenarioBulkhead = new Bulkhead(
      // A simulated failure is reported as requested, however many calls wait.
      { ...resilience.bulkhead, queue: Number.POSITIVE_INFINITY, places: () => connections, hasQuota: false },
      () => performance.now(),
      nothing,
    );
  }

  /** Runs one operation, unless its breaker is open, and retries it if that is safe. */
  run<T>(call: CallProgress, attempt: () => Promise<T>): Promise<T> {
    return this.#operations.get(call.operation)?.run(call, attempt) ?? attempt();
  }

  /**
   * Sends one HTTP call of an operation as soon as it has a place. `isRepeat`: it is sent again after a 429, so
   * it waits for the pause even if such calls otherwise don't.
   */
  send(
    call: CallProgress,
    handle: CallHandle,
    work: () => Promise<SupplierHttpAnswer>,
    isRepeat = false,
  ): Promise<SupplierHttpAnswer> {
    const { id, timeoutMs, resilience } = this.config;
    const pausing = async (): Promise<SupplierHttpAnswer> => {
      const answer = await work();
      const pauseMs = pauseIn(answer);
      // Before the call leaves its place, so that no waiting call takes it.
      if (pauseMs > 0) {
        this.#places.pause(pauseMs);
        this.watch.paused(id, pauseMs, call);
      }
      return answer;
    };
    return this.#places.pass(
      {
        account: call.caller.accountId,
        priority: isEssential(call) && !isRepeat ? 'essential' : heldPriorityOf(call),
        maxWaitMs: timeoutMs[call.operation] * resilience.bulkhead.waitShare,
        latestStartMs: handle.notAfterMs ?? this.#latestStart(call),
        handle,
        held: (ms) => {
          call.heldMs += ms;
        },
        refused: (why) => this.watch.refused(id, call.operation, why),
      },
      pausing,
    );
  }

  /**
   * Whether a call that changes nothing can be sent again after this answer: a 429 whose Retry-After leaves enough time
   * (spec §7.3 rule 2), if it was sent again fewer than three times.
   */
  allowsRepeat(call: CallProgress, answer: SupplierHttpAnswer, repeats: number): boolean {
    const pauseMs = pauseIn(answer);
    return (
      repeats < MOST_REPEATS && pauseMs > 0 && !call.isOver && performance.now() + pauseMs <= this.#latestStart(call)
    );
  }

  /**
   * Sends one HTTP call that a sandbox scenario changes, on sockets that only such calls use. Here the bulkhead only
   * keeps one account from taking all of them, including by changes to its reservations.
   */
  sendSimulated<T>(call: CallProgress, handle: CallHandle, work: () => Promise<T>): Promise<T> {
    const { accountId: account } = call.caller;
    const maxWaitMs = this.config.timeoutMs[call.operation];
    return this.#scenarioBulkhead.pass(
      {
        account,
        // No call is essential where nothing is real, so the rules of places hold for all.
        priority: heldPriorityOf(call),
        maxWaitMs,
        latestStartMs: call.endsAtMs,
        handle,
        held: nothing,
        refused: nothing,
      },
      work,
    );
  }

  /** Reports an answer that the gateway didn't read, because too many waited or the time was up. */
  unread(operation: Operation): void {
    this.watch.refused(this.config.id, operation, 'unread');
  }

  /** Opens the breakers of this operation and scope for `ms` because another gateway's did. */
  openFor(operation: string, scope: string, ms: number): void {
    for (const [known, policy] of this.#operations) if (known === operation) policy.breakers?.openFor(scope, ms);
  }

  /**
   * Stops reporting, because another policy replaces this one or the supplier was removed. Otherwise calls in flight
   * would change the reported state of its successor.
   */
  retire(): void {
    for (const unwatch of this.#unwatch) unwatch();
    this.watch.queued(this.config.id, 0);
    this.watch = NO_WATCH;
  }

  /** A call that starts later would hardly be answered in time. */
  #latestStart(call: CallProgress): number {
    return call.endsAtMs - this.config.timeoutMs[call.operation] * LAST_SHARE;
  }
}

/** The pause that a supplier requests with a 429; 0 = none. */
function pauseIn({ status, headers }: SupplierHttpAnswer): number {
  return status === 429 ? retryAfterMs(headers['retry-after'], Date.now()) : 0;
}

function isEssential({ operation, hasWritten }: CallProgress): boolean {
  return hasWritten || operation === 'retrieve' || operation === 'modify' || operation === 'cancel';
}

/** How a call waits if it isn't essential, or not anymore. */
function heldPriorityOf(call: CallProgress): Priority {
  return isEssential(call) || call.operation === 'priceCheck' || call.operation === 'book' ? 'booking' : 'search';
}
