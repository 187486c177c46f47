import { Observable } from 'rxjs';
import { elapsed } from '../metrics/elapsed.js';
import type { CallSpan, RequestTrace } from '../metrics/request-trace.js';
import { type SupplierAnswer, SupplierError } from '../model/supplier.js';
import type { Warning } from '../model/warnings.js';
import type { SupplierCause } from '../status/api-error.js';
import type { CallMemory, Remembered } from './memory/supplier-memory.js';
import { type CallOutcome, type CallSlot, causeOf, type ObservedCall } from './outcome.js';
import type { SentCall } from './sent-call.js';
import type { OpenCall } from './supplier-connection.js';

/** One call to make, with its own timeout. */
export interface PlannedCall<T> extends ObservedCall {
  readonly timeoutMs: number;
  /**
   * Calls in flight with the same key ask the same supplier for the same data, so the fan-out makes only one of them.
   */
  readonly shareKey: string;
  /** Absent if the request isn't traced. */
  readonly span?: CallSpan | undefined;
  /** Absent = the supplier is always called. */
  readonly memory?: CallMemory<T> | undefined;
  open(): OpenCall;
  run(call: OpenCall): Promise<SupplierAnswer<T>>;
}

/** Is notified of each call that settled or was aborted because no request needed it anymore. */
export interface CallObserver {
  /** `warnings` are those of its answers; absent or empty = none. `sent` is what it sent and received; absent = unknown. */
  settled(
    call: ObservedCall,
    outcome: string,
    durationMs: number,
    error: unknown,
    warnings?: readonly Warning[],
    sent?: readonly SentCall[],
  ): void;
  cutOff(call: ObservedCall): void;
}

/**
 * Makes all calls concurrently and emits each outcome as it settles, with the index of its call. Never emits an error.
 * Unsubscribing (the client disconnected, the request budget is exhausted, enough suppliers answered) aborts all open
 * calls that no other request shares.
 */
export class FanOut {
  readonly #inFlight = new Map<string, CallInFlight<unknown>>();

  constructor(private readonly observer: CallObserver) {}

  /** Adds each call to `trace` when it begins; the collector adds how it ended. */
  run<T>(
    calls: readonly PlannedCall<T>[],
    trace?: RequestTrace,
  ): Observable<{ index: number; outcome: CallOutcome<T> }> {
    return new Observable((subscriber) => {
      let open = calls.length;
      const leaves = calls.map((call, index) => {
        const remembered = call.memory?.find();
        if (remembered) {
          if (remembered.isStale) this.#refresh(call);
          addRemembered(call, remembered, trace);
          subscriber.next({ index, outcome: outcomeOf(call, remembered) });
          open -= 1;
          return NOTHING_TO_LEAVE;
        }
        const known = this.#inFlight.get(call.shareKey) as CallInFlight<T> | undefined;
        const inFlight = known ?? this.#start(call);
        if (trace) inFlight.addTo(trace, known !== undefined, call.span);
        return inFlight.join((outcome) => {
          subscriber.next({ index, outcome: known ? { ...outcome, shared: true } : outcome });
          open -= 1;
          if (open === 0) subscriber.complete();
        });
      });
      if (open === 0) subscriber.complete();
      return () => {
        for (const leave of leaves) leave();
      };
    });
  }

  /** Makes a call that no request waits for, unless it is in flight; its answer is kept. */
  #refresh<T>(call: PlannedCall<T>): void {
    if (!this.#inFlight.has(call.shareKey)) this.#start(call).join(NOTHING_TO_LEAVE);
  }

  #start<T>(call: PlannedCall<T>): CallInFlight<T> {
    const inFlight = new CallInFlight(call, this.observer, () => this.#inFlight.delete(call.shareKey));
    this.#inFlight.set(call.shareKey, inFlight as CallInFlight<unknown>);
    return inFlight;
  }
}

const NOTHING_TO_LEAVE = (): void => undefined;

function slotOf({ supplier, brand }: CallSlot): CallSlot {
  return brand === undefined ? { supplier } : { supplier, brand };
}

function outcomeOf<T>(call: PlannedCall<T>, { items, ageSeconds }: Remembered<T>): CallOutcome<T> {
  const rest = { ...slotOf(call), durationMs: 0, shared: false, ageSeconds };
  return items.length === 0 ? { kind: 'empty', ...rest } : { kind: 'answered', ...rest, items };
}

/** Adds an answer from memory to the trace as a call without exchanges. */
function addRemembered<T>(call: PlannedCall<T>, { ageSeconds }: Remembered<T>, trace?: RequestTrace): void {
  trace?.begin({
    supplier: call.supplier.id,
    brand: call.brand,
    operation: call.operation,
    timeoutMs: call.timeoutMs,
    startedAt: performance.now(),
    exchanges: [],
    warnings: { list: [] },
    shared: false,
    span: call.span,
    ageSeconds,
  });
}

/**
 * One call and the requests that wait for it. It settles with one outcome, or is aborted when the last request leaves.
 */
class CallInFlight<T> {
  readonly #waiting = new Set<(outcome: CallOutcome<T>) => void>();
  readonly #startedAt = performance.now();
  readonly #slot: CallSlot;
  readonly #call: OpenCall;
  readonly #timer: NodeJS.Timeout;
  #isSettled = false;

  constructor(
    private readonly planned: PlannedCall<T>,
    private readonly observer: CallObserver,
    private readonly onEnd: () => void,
  ) {
    this.#slot = slotOf(planned);
    this.#call = planned.open();
    const keep = planned.memory?.begin();
    this.#timer = setTimeout(() => {
      const error = new SupplierError('timeout', `no answer within ${Math.round(planned.timeoutMs)} ms`);
      this.#fail(error);
      this.#call.abort(error);
    }, planned.timeoutMs);
    this.#call
      .run(() => planned.run(this.#call))
      .then(
        ({ items }) => {
          if (!this.#isSettled) keep?.(items, this.#call.warnings.list);
          const rest = { ...this.#slot, durationMs: elapsed(this.#startedAt), shared: false };
          if (items.length === 0) this.#settle({ kind: 'empty', ...rest }, 'empty');
          else this.#settle({ kind: 'answered', ...rest, items }, 'answered');
        },
        (error: unknown) => this.#fail(error),
      );
  }

  /** Adds the call to the trace of a request that waits for it, as `span`; its timestamps follow as the call proceeds. */
  addTo(trace: RequestTrace, shared: boolean, span: CallSpan | undefined): void {
    const { supplier, brand, operation, timeoutMs } = this.planned;
    const { exchanges, warnings } = this.#call;
    trace.begin({
      supplier: supplier.id,
      brand,
      operation,
      timeoutMs,
      startedAt: this.#startedAt,
      exchanges,
      warnings,
      shared,
      span,
      joined: shared ? this.planned.span : undefined,
    });
  }

  /** Waits for the outcome; the returned function stops waiting. */
  join(listener: (outcome: CallOutcome<T>) => void): () => void {
    this.#waiting.add(listener);
    return () => {
      if (!this.#waiting.delete(listener) || this.#isSettled || this.#waiting.size > 0) return;
      this.#end();
      this.observer.cutOff(this.planned);
      this.#call.abort(new SupplierError('cancelled', 'no request waits for the answer anymore'));
    };
  }

  #fail(error: unknown): void {
    const cause: SupplierCause = error instanceof SupplierError ? causeOf(error.fault) : 'bad_payload';
    this.#settle(
      { kind: 'failed', ...this.#slot, cause, durationMs: elapsed(this.#startedAt), shared: false },
      cause,
      error,
    );
  }

  #settle(outcome: CallOutcome<T>, word: string, error?: unknown): void {
    if (this.#isSettled) return;
    this.#end();
    this.observer.settled(this.planned, word, outcome.durationMs, error, this.#call.warnings.list, this.#call.sent);
    for (const listener of this.#waiting) listener(outcome);
  }

  #end(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.onEnd();
  }
}

/** When a search stops waiting for slow suppliers (docs/model.md#completeness). */
export interface CompletionPolicy {
  /** Stop after this time if `minSuppliers` have answered. Undefined: wait for each supplier's own timeout. */
  readonly timeoutMs?: number;
  readonly minSuppliers: number;
}

/**
 * Collects the outcomes of a fan-out in the order of `slots`. Calls that are open when the completion policy stops the
 * wait count as failed with cause `timeout`. `onCancel` registers a listener for the cancellation of the request; after
 * it, everything is aborted and the promise never settles. `onOutcome` receives each outcome as it settles and returns
 * the one to keep.
 */
export function collect<T>(
  slots: readonly CallSlot[],
  source: Observable<{ index: number; outcome: CallOutcome<T> }>,
  completion: CompletionPolicy,
  onCancel: (listener: () => void) => () => void,
  onOutcome: (outcome: CallOutcome<T>) => CallOutcome<T> = (outcome) => outcome,
): Promise<CallOutcome<T>[]> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const outcomes = new Array<CallOutcome<T> | undefined>(slots.length);
    let isTimeUp = false;
    let timer: NodeJS.Timeout | undefined;
    const finish = (): void => {
      clearTimeout(timer);
      removeListener();
      subscription.unsubscribe();
      resolve(
        slots.map(
          (slot, index) =>
            outcomes[index] ?? {
              kind: 'failed',
              ...slot,
              cause: 'timeout',
              durationMs: elapsed(startedAt),
              shared: false,
            },
        ),
      );
    };
    const enough = (): boolean => isTimeUp && countAnswered(outcomes) >= completion.minSuppliers;
    const subscription = source.subscribe({
      next: ({ index, outcome }) => {
        outcomes[index] = onOutcome(outcome);
        if (enough()) queueMicrotask(finish);
      },
      complete: () => queueMicrotask(finish),
    });
    const removeListener = onCancel(() => {
      clearTimeout(timer);
      subscription.unsubscribe();
    });
    if (completion.timeoutMs !== undefined) {
      timer = setTimeout(() => {
        isTimeUp = true;
        if (enough()) finish();
      }, completion.timeoutMs);
    }
  });
}

function countAnswered(outcomes: readonly (CallOutcome<unknown> | undefined)[]): number {
  return new Set(outcomes.flatMap((outcome) => (outcome?.kind === 'answered' ? [outcome.supplier.id] : []))).size;
}
