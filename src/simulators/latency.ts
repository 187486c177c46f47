import { createStream, hashText } from './random.js';

/**
 * A log-normal answer time: half of the calls take up to `medianMs`; `sigma` is the spread (0.5 puts the p99 at 3.2
 * medians).
 */
export interface Latency {
  /** 0 = no delay. */
  readonly medianMs: number;
  readonly sigma: number;
  /** Upper bound of the latency; absent = none. */
  readonly maxMs?: number;
}

/** Shares of calls (0–1, together at most 1) that fail at random, without a directive. */
export interface Chaos {
  readonly errorRate?: number;
  readonly timeoutRate?: number;
  readonly garbageRate?: number;
  readonly resetRate?: number;
}

/** The latency and fault of one call. */
export interface CallBehavior {
  readonly delayMs: number;
  readonly fault?: 'error' | 'timeout' | 'garbage' | 'reset';
}

/** The behavior of the `count`-th call with a seed: the same in every run, whatever the other calls do. */
export function behaviorOf(seed: number, count: number, latency: Latency, chaos: Chaos = {}): CallBehavior {
  const draw = createStream(hashText(seed, `call ${count}`));
  const delayMs = delayOf(latency, draw(), draw());
  const fault = faultOf(chaos, draw());
  return fault ? { delayMs, fault } : { delayMs };
}

function delayOf(
  { medianMs, sigma, maxMs = Number.POSITIVE_INFINITY }: Latency,
  first: number,
  second: number,
): number {
  if (medianMs <= 0) return 0;
  const normal = Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
  return Math.min(maxMs, medianMs * Math.exp(sigma * normal));
}

function faultOf(chaos: Chaos, drawn: number): CallBehavior['fault'] {
  let upTo = 0;
  for (const [fault, rate] of [
    ['error', chaos.errorRate],
    ['timeout', chaos.timeoutRate],
    ['garbage', chaos.garbageRate],
    ['reset', chaos.resetRate],
  ] as const) {
    upTo += rate ?? 0;
    if (drawn < upTo) return fault;
  }
  return undefined;
}
