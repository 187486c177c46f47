import { Observable } from 'rxjs';
import { elapsed } from '../metrics/elapsed.js';
import type { RequestTrace } from '../metrics/request-trace.js';
import { type SupplierAnswer, SupplierError } from '../model/supplier.js';
import type { SupplierCause } from '../status/api-error.js';
import { type CallOutcome, type CallSlot, causeOf, type ObservedCall } from './outcome.js';
import type { OpenCall } from './supplier-connection.js';

/** One call to make: where it belongs, its own deadline, how to open and run it, and a key when equal calls may be shared. */
export interface PlannedCall<T> extends ObservedCall {
  readonly timeoutMs: number;
  /** Equal keys = the same question to the same supplier: calls under way at once are made once. */
  readonly shareKey: string;
  open(): OpenCall;
  run(call: OpenCall): Promise<SupplierAnswer<T>>;
}

/** What the engine tells about each call that ended or was called off. */
export interface CallObserver {
  settled(call: ObservedCall, outcome: string, durationMs: number, error: unknown): void;
  cutOff(call: ObservedCall): void;
}

/**
 * Makes all calls at once and emits each outcome as it settles, with the index of its call. Never errors. Unsubscribing (client gone,
 * budget over, enough answers) aborts the sockets of what is still open, unless another request shares the call.
 */
export class FanOut {
  readonly #underWay = new Map<string, CallUnderWay<unknown>>();

  constructor(private readonly observer: CallObserver) {}

  /** `trace` gets each call as it begins; how it ended is for the collector to tell. */
  run<T>(
    calls: readonly PlannedCall<T>[],
    trace?: RequestTrace,
  ): Observable<{ index: number; outcome: CallOutcome<T> }> {
    return new Observable((subscriber) => {
      let open = calls.length;
      const leave = calls.map((call, index) => {
        const known = this.#underWay.get(call.shareKey) as CallUnderWay<T> | undefined;
        const underWay = known ?? this.#start(call);
        if (trace) underWay.show(trace, known !== undefined);
        return underWay.join((outcome) => {
          subscriber.next({ index, outcome: known ? { ...outcome, shared: true } : outcome });
          open -= 1;
          if (open === 0) subscriber.complete();
        });
      });
      if (open === 0) subscriber.complete();
      return () => {
        for (const leaveOne of leave) leaveOne();
      };
    });
  }

  #start<T>(call: PlannedCall<T>): CallUnderWay<T> {
    const underWay = new CallUnderWay(call, this.observer, () => this.#underWay.delete(call.shareKey));
    this.#underWay.set(call.shareKey, underWay as CallUnderWay<unknown>);
    return underWay;
  }
}

/** One call with everybody who waits for it: it has exactly one outcome, or is aborted when the last of them leaves before. */
class CallUnderWay<T> {
  readonly #waiting = new Set<(outcome: CallOutcome<T>) => void>();
  readonly #startedAt = performance.now();
  readonly #slot: CallSlot;
  readonly #call: OpenCall;
  readonly #timer: NodeJS.Timeout;
  #over = false;

  constructor(
    private readonly planned: PlannedCall<T>,
    private readonly observer: CallObserver,
    private readonly ended: () => void,
  ) {
    this.#slot =
      planned.brand === undefined
        ? { supplier: planned.supplier }
        : { supplier: planned.supplier, brand: planned.brand };
    this.#call = planned.open();
    this.#timer = setTimeout(() => {
      const error = new SupplierError('timeout', `no answer within ${planned.timeoutMs} ms`);
      this.#fail(error);
      this.#call.abort(error);
    }, planned.timeoutMs);
    this.#call
      .run(() => planned.run(this.#call))
      .then(
        ({ items }) => {
          const rest = { ...this.#slot, durationMs: elapsed(this.#startedAt), shared: false };
          if (items.length === 0) this.#settle({ kind: 'empty', ...rest }, 'empty');
          else this.#settle({ kind: 'answered', ...rest, items }, 'answered');
        },
        (error: unknown) => this.#fail(error),
      );
  }

  /** Puts the call, with its instants as they come, into the trace of a request that waits for it. */
  show(trace: RequestTrace, shared: boolean): void {
    const { supplier, brand, operation, timeoutMs } = this.planned;
    const { exchanges } = this.#call;
    trace.begin({ supplier: supplier.id, brand, operation, timeoutMs, startedAt: this.#startedAt, exchanges, shared });
  }

  /** Waits for the outcome; the returned function stops waiting. */
  join(listener: (outcome: CallOutcome<T>) => void): () => void {
    this.#waiting.add(listener);
    return () => {
      if (!this.#waiting.delete(listener) || this.#over || this.#waiting.size > 0) return;
      this.#end();
      this.observer.cutOff(this.planned);
      this.#call.abort(new SupplierError('cancelled', 'nobody waits for the answer any more'));
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
    if (this.#over) return;
    this.#end();
    this.observer.settled(this.planned, word, outcome.durationMs, error);
    for (const listener of this.#waiting) listener(outcome);
  }

  #end(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.ended();
  }
}

/** When to stop waiting (docs/model.md#completeness). */
export interface CompletionPolicy {
  /** After so long the fan-out ends, provided `minSuppliers` have answered; undefined = each supplier's own timeout decides. */
  readonly timeoutMs?: number;
  readonly minSuppliers: number;
}

/**
 * Collects a fan-out into outcomes in the order of `slots`. What is not there when the completion policy ends the wait counts as failed with cause timeout.
 * `onCancel` registers a listener for the end of the whole request; then the promise stays open and everything is aborted. `onOutcome` sees each
 * outcome as it settles and gives the one to keep.
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
    let over = false;
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
    const enough = (): boolean => over && countAnswered(outcomes) >= completion.minSuppliers;
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
        over = true;
        if (enough()) finish();
      }, completion.timeoutMs);
    }
  });
}

function countAnswered(outcomes: readonly (CallOutcome<unknown> | undefined)[]): number {
  return new Set(outcomes.flatMap((outcome) => (outcome?.kind === 'answered' ? [outcome.supplier.id] : []))).size;
}
