import type { Fault, Operation } from '../model/supplier.js';
import type { SupplierCause } from '../status/api-error.js';

/** Names of the supplier an outcome belongs to; the same object for all outcomes of a supplier. */
export interface SupplierRef {
  readonly id: string;
  readonly name: string;
}

/** How one call of the fan-out ended (ruling 1). Failures are data until merge. Durations are milliseconds. */
export type CallOutcome<T> =
  | {
      readonly kind: 'answered';
      readonly supplier: SupplierRef;
      readonly brand?: string;
      readonly items: readonly T[];
      readonly durationMs: number;
      readonly shared: boolean;
    }
  | {
      readonly kind: 'empty';
      /** Offers it had that the caller's filters took away; absent = it had none. */
      readonly filtered?: number;
      readonly supplier: SupplierRef;
      readonly brand?: string;
      readonly durationMs: number;
      readonly shared: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly supplier: SupplierRef;
      readonly brand?: string;
      readonly cause: SupplierCause;
      readonly durationMs: number;
      readonly shared: boolean;
    };

/** What is asked: one call of one supplier, before it has an outcome. */
export interface CallSlot {
  readonly supplier: SupplierRef;
  /** Set where the supplier is asked brand by brand. */
  readonly brand?: string;
}

/** A call as metrics and log name it. */
export interface ObservedCall extends CallSlot {
  readonly operation: Operation;
}

/** How a supplier ended over all its calls, in supplier order. */
export interface SupplierOutcome<T> {
  readonly supplier: SupplierRef;
  readonly kind: 'answered' | 'empty' | 'failed';
  readonly items: readonly T[];
  readonly cause?: SupplierCause;
  /** Of an empty supplier: offers that the caller's filters took away. */
  readonly filtered?: number;
  /** Brands of an answered supplier that failed: they make the result partial, too. */
  readonly failedBrands: readonly { readonly brand: string; readonly cause: SupplierCause }[];
  readonly durationMs: number;
  readonly shared: boolean;
}

/** The word for callers of a fault; `auth` is our own affair and told as rejected (docs/trade.md#ota-errors). */
export function causeOf(fault: Fault): SupplierCause {
  if (fault === 'auth') return 'rejected';
  return fault === 'cancelled' ? 'unavailable' : fault;
}

/**
 * Folds the calls of each supplier into one outcome: any call answered → answered (failed brands are kept beside); else any failed →
 * failed, for "nothing found" could not honestly be said; else empty. Input and output are in supplier order.
 */
export function foldCalls<T>(calls: readonly CallOutcome<T>[]): SupplierOutcome<T>[] {
  const bySupplier = new Map<string, CallOutcome<T>[]>();
  for (const call of calls) {
    const list = bySupplier.get(call.supplier.id);
    if (list) list.push(call);
    else bySupplier.set(call.supplier.id, [call]);
  }
  return [...bySupplier.values()].map(foldSupplier);
}

function foldSupplier<T>(calls: readonly CallOutcome<T>[]): SupplierOutcome<T> {
  const [first] = calls;
  if (!first) throw new Error('a supplier without calls has no outcome');
  const answered = calls.filter((call) => call.kind === 'answered');
  const failed = calls.filter((call) => call.kind === 'failed');
  const [firstFailed] = failed;
  const filtered = calls.reduce((sum, call) => sum + (call.kind === 'empty' ? (call.filtered ?? 0) : 0), 0);
  return {
    supplier: first.supplier,
    kind: answered.length > 0 ? 'answered' : firstFailed ? 'failed' : 'empty',
    items: answered.length === 1 && answered[0] ? answered[0].items : answered.flatMap((call) => call.items),
    ...(answered.length === 0 && firstFailed ? { cause: firstFailed.cause } : {}),
    ...(answered.length === 0 && !firstFailed && filtered > 0 ? { filtered } : {}),
    failedBrands:
      answered.length > 0
        ? failed.flatMap((call) => (call.brand === undefined ? [] : [{ brand: call.brand, cause: call.cause }]))
        : [],
    durationMs: Math.max(...calls.map((call) => call.durationMs)),
    shared: calls.every((call) => call.shared),
  };
}
