import type { SupplierState } from '../config/supplier-config.schema.js';

/** A state set by an operator. */
export interface GivenState {
  readonly state: SupplierState;
  /** When maintenance ends, in epoch milliseconds; absent if that isn't announced. */
  readonly untilMs?: number;
  /** For canary: the share of the searches that it belongs to, 1 to 99. */
  readonly percent?: number;
}

/** What operators switched off, with its end in epoch milliseconds; undefined = when they switch it on. */
export interface AppliedSwitches {
  /** By supplier id: in maintenance, unless their state is lower. */
  readonly suppliers: ReadonlyMap<string, number | undefined>;
  /** By name of the brand. */
  readonly brands: ReadonlyMap<string, number | undefined>;
}
