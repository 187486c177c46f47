import { finalize, merge, Observable, share } from 'rxjs';
import type { SupplierCause } from '../status/api-error.js';
import { type CallOutcome, type CallSlot, causeOf, type SupplierOutcome } from './outcome.js';
import { type SupplierAnswer, SupplierError } from './supplier.js';
import type { OpenCall } from './supplier-connection.js';

/** One call to make: where it belongs, its own deadline, how to open and run it, and a key when equal calls may be shared. */
export interface PlannedCall<T> extends CallSlot {
  readonly timeoutMs: number;
  /** Equal keys = the same question to the same supplier: calls under way at once are made once. */
  readonly shareKey: string;
  open(): OpenCall;
  run(call: OpenCall): Promise<SupplierAnswer<T>>;
}

/** What the engine tells about each call that ended or was called off. */
export interface CallObserver {
  settled(slot: CallSlot, outcome: string, durationMs: number, error: unknown): void;
  cutOff(slot: CallSlot): void;
}

/**
 * Makes all calls at once and emits each outcome as it settles, with the index of its call. Never errors. Unsubscribing (client gone,
 * budget over, enough answers) aborts the sockets of what is still open, unless another request shares the call.
 */
export class FanOut {
  readonly #underWay = new Map<string, Observable<CallOutcome<unknown>>>();

  constructor(private readonly observer: CallObserver) {}

  run<T>(calls: readonly PlannedCall<T>[]): Observable<{ index: number; outcome: CallOutcome<T> }> {
    return merge(...calls.map((call, index) => this.#indexed(call, index)));
  }

  #indexed<T>(call: PlannedCall<T>, index: number): Observable<{ index: number; outcome: CallOutcome<T> }> {
    return new Observable((subscriber) => {
      const known = this.#underWay.get(call.shareKey) as Observable<CallOutcome<T>> | undefined;
      const source = known ?? this.#start(call);
      return source.subscribe({
        next: (outcome) => subscriber.next({ index, outcome: known ? { ...outcome, shared: true } : outcome }),
        complete: () => subscriber.complete(),
      });
    });
  }

  #start<T>(call: PlannedCall<T>): Observable<CallOutcome<T>> {
    const source = callOnce(call, this.observer).pipe(
      finalize(() => this.#underWay.delete(call.shareKey)),
      share(),
    );
    this.#underWay.set(call.shareKey, source as Observable<CallOutcome<unknown>>);
    return source;
  }
}

/** One call as a cold observable of exactly one outcome; teardown before the outcome aborts its sockets. */
function callOnce<T>(call: PlannedCall<T>, observer: CallObserver): Observable<CallOutcome<T>> {
  return new Observable((subscriber) => {
    const startedAt = performance.now();
    const open = call.open();
    const slot: CallSlot = call.brand === undefined ? { supplier: call.supplier } : { supplier: call.supplier, brand: call.brand };
    let settled = false;
    const settle = (outcome: CallOutcome<T>, word: string, error?: unknown): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      observer.settled(slot, word, outcome.durationMs, error);
      subscriber.next(outcome);
      subscriber.complete();
    };
    const fail = (error: unknown): void => {
      const cause: SupplierCause = error instanceof SupplierError ? causeOf(error.fault) : 'bad_payload';
      settle({ kind: 'failed', ...slot, cause, durationMs: elapsed(startedAt), shared: false }, cause, error);
    };
    const timer = setTimeout(() => {
      const error = new SupplierError('timeout', `no answer within ${call.timeoutMs} ms`);
      fail(error);
      open.abort(error);
    }, call.timeoutMs);
    call.run(open).then(({ items }) => {
      if (items.length === 0) settle({ kind: 'empty', ...slot, durationMs: elapsed(startedAt), shared: false }, 'empty');
      else settle({ kind: 'answered', ...slot, items, durationMs: elapsed(startedAt), shared: false }, 'answered');
    }, fail);
    return () => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      observer.cutOff(slot);
      open.abort(new SupplierError('cancelled', 'nobody waits for the answer any more'));
    };
  });
}

function elapsed(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}

/** When to stop waiting (model.md: caller-set completeness). */
export interface Patience {
  /** After so long the fan-out ends, provided `minSuppliers` have answered; undefined = each supplier's own timeout decides. */
  readonly timeoutMs?: number;
  readonly minSuppliers: number;
}

/**
 * Collects a fan-out into outcomes in the order of `slots`. What is not there when patience ends counts as failed with cause timeout.
 * `onCancel` registers a listener for the end of the whole request; then the promise stays open and everything is aborted. `onOutcome` sees each
 * outcome as it settles and gives the one to keep.
 */
export function collect<T>(
  slots: readonly CallSlot[],
  source: Observable<{ index: number; outcome: CallOutcome<T> }>,
  patience: Patience,
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
          (slot, index) => outcomes[index] ?? { kind: 'failed', ...slot, cause: 'timeout', durationMs: elapsed(startedAt), shared: false },
        ),
      );
    };
    const enough = (): boolean => over && countAnswered(outcomes) >= patience.minSuppliers;
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
    if (patience.timeoutMs !== undefined) {
      timer = setTimeout(() => {
        over = true;
        if (enough()) finish();
      }, patience.timeoutMs);
    }
  });
}

function countAnswered(outcomes: readonly (CallOutcome<unknown> | undefined)[]): number {
  return new Set(outcomes.flatMap((outcome) => (outcome?.kind === 'answered' ? [outcome.supplier.id] : []))).size;
}

/** One row of `suppliers[]` in an availability answer. */
export function supplierRow(outcome: SupplierOutcome<unknown>): Record<string, unknown> {
  return {
    supplier: outcome.supplier.id,
    outcome: outcome.kind,
    ...(outcome.cause === undefined ? {} : { cause: outcome.cause }),
    offers: outcome.items.length,
    ...(outcome.filtered === undefined ? {} : { filtered: outcome.filtered }),
    duration_ms: outcome.durationMs,
    ...(outcome.shared ? { shared: true } : {}),
  };
}
