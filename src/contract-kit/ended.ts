import type { SupplierError } from '../model/supplier.js';
import { Breach, describeError, must } from './breach.js';

/** The outcome of one call. */
export interface Ended<T> {
  /** What it returned; absent if it failed. */
  readonly items?: readonly T[];
  readonly error?: SupplierError;
  /** What the adapter threw, if it was not a SupplierError. */
  readonly bug?: unknown;
  readonly ms: number;
}

/** How to make a call; `directive` is for the simulator. */
export interface CallManner {
  readonly timeoutMs?: number;
  readonly directive?: string;
}

/** The items of a successful call. Throws a Breach if the call failed. */
export function itemsOf<T>(ended: Ended<T>, what: string): readonly T[] {
  if (ended.items) return ended.items;
  throw new Breach(
    `${what} failed: ${ended.error ? describeError(ended.error) : 'no error'}${ended.bug === undefined ? '' : `, thrown: ${String(ended.bug)}`}`,
  );
}

/** The error of a failed call. Throws a Breach if the call succeeded or threw something other than a SupplierError. */
export function failureOf(ended: Ended<unknown>): SupplierError {
  must(ended.bug === undefined, `threw ${String(ended.bug).slice(0, 200)}; expected a SupplierError`);
  must(ended.error !== undefined, `returned ${ended.items?.length ?? 0} items; expected a SupplierError`);
  return ended.error;
}
