import type { LimitRate } from '../../src/store/gcra.js';

/** One request as its client saw it. Times are milliseconds of the client's own monotonic clock. */
export interface ObservedCall {
  readonly sentMs: number;
  readonly answeredMs: number;
  /** 0 = the connection was lost. */
  readonly status: number;
}

/** All calls that one limit had to judge. */
export interface LimitRun {
  readonly gateways: number;
  readonly name: string;
  readonly rate: LimitRate;
  /** Offered calls ÷ the rate. */
  readonly load: number;
  /** Whether nothing else limits these calls: then as much as the limit allows must come through. */
  readonly isTightest: boolean;
  readonly calls: readonly ObservedCall[];
}

/** A stretch of time in which only these statuses may be answered. */
export interface Phase {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly statuses: readonly number[];
}

/** What happened while Redis lost its scripts, lost its data and was away. */
export interface FaultRun {
  readonly rate: LimitRate;
  readonly phases: readonly Phase[];
  /** When Redis had lost everything it knew: between two of these a limit holds. */
  readonly lossesMs: readonly number[];
  readonly calls: readonly ObservedCall[];
  readonly gatewaysStarted: number;
  readonly gatewaysAlive: number;
}

/** The search without its keyword: the guards admit it, then it is refused as faulty, without a call to any supplier. */
export const ADMITTED = 400;
