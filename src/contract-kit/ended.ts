import type { SupplierError } from '../model/supplier.js';
import { Breach, must, told } from './breach.js';

/** How one call ended. */
export interface Ended<T> {
  /** What it found; absent when it failed. */
  readonly items?: readonly T[];
  readonly error?: SupplierError;
  /** What the adapter threw, where that was no SupplierError. */
  readonly bug?: unknown;
  readonly ms: number;
}

/** How a call goes; `directive` as a simulator is told. */
export interface CallManner {
  readonly timeoutMs?: number;
  readonly directive?: string;
}

/** What a call found. Throws a Breach when it failed. */
export function itemsOf<T>(ended: Ended<T>, what: string): readonly T[] {
  if (ended.items) return ended.items;
  throw new Breach(
    `${what} failed: ${ended.error ? told(ended.error) : 'no error'}${ended.bug === undefined ? '' : `, thrown: ${String(ended.bug)}`}`,
  );
}

/** How a call failed. Throws a Breach when it found something, or threw what is no SupplierError. */
export function failureOf(ended: Ended<unknown>): SupplierError {
  must(ended.bug === undefined, `threw ${String(ended.bug).slice(0, 200)}, not a SupplierError`);
  must(ended.error !== undefined, `gave ${ended.items?.length ?? 0} items as if nothing had failed`);
  return ended.error;
}
