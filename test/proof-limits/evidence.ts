import type { LimitRate } from '../../src/store/gcra.js';

/** One request as its client saw it. Times are milliseconds of the client's monotonic clock. */
export interface ObservedCall {
  readonly sentMs: number;
  readonly answeredMs: number;
  /** 0 = the connection was lost. */
  readonly status: number;
}

/** All calls that one limit had to decide on. */
export interface LimitRun {
  readonly gateways: number;
  readonly name: string;
  readonly rate: LimitRate;
  /** Offered calls ÷ the rate. */
  readonly load: number;
  /** Whether no other limit applies to these calls: then as many calls as this limit allows must be admitted. */
  readonly isTightest: boolean;
  readonly calls: readonly ObservedCall[];
}

/** A period in which only these statuses may be answered. */
export interface Phase {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly statuses: readonly number[];
}

/** What happened while Redis lost its scripts, lost its data and was stopped. */
export interface FaultRun {
  readonly rate: LimitRate;
  readonly phases: readonly Phase[];
  /** When Redis lost all its data: a limit holds between two of these instants. */
  readonly lossesMs: readonly number[];
  readonly calls: readonly ObservedCall[];
  readonly gatewaysStarted: number;
  readonly gatewaysAlive: number;
}

/** A search without its keyword: the guards admit it, then it is refused as invalid without a call to any supplier. */
export const ADMITTED = 400;
