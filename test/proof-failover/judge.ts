import type { Intent } from '../proof/evidence.js';

/** One failover. All times in epoch milliseconds. */
export interface Failover {
  readonly killedAt: number;
  /** When the standby accepted writes. */
  readonly promotedAt: number;
  /** When commits waited for a standby again. */
  readonly rebuiltAt: number;
}

/** The answer to a call that isn't a booking; `status` 0 = none. */
export interface Call {
  readonly kind: 'search' | 'token';
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly status: number;
  /** The `cause` or `reason` in an answer that is an error. */
  readonly cause?: string;
}

/** Quantiles of a list, in its unit; 0 if it is empty. */
export interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** When cars were booked: a 201 that isn't a repetition, ascending. */
export function bookedAt(intents: readonly Intent[]): readonly number[] {
  return intents
    .flatMap(({ answers }) => answers)
    .flatMap(({ status, replayed, at }) => (status === 201 && !replayed && at !== undefined ? [at] : []))
    .sort((one, other) => one - other);
}

/**
 * For each failover, the longest time without a success from the kill to the next kill, or to `until`; `successes` ascending.
 * The time up to `until` counts also if nothing succeeded.
 */
export function gaps(failovers: readonly Failover[], successes: readonly number[], until: number): readonly number[] {
  return failovers.map(({ killedAt }, index) => {
    const end = failovers[index + 1]?.killedAt ?? until;
    const times = [killedAt, ...successes.filter((at) => at > killedAt && at < end), end];
    return Math.max(...times.slice(1).map((at, before) => at - (times[before] ?? at)));
  });
}

/** The quantiles p50 and p95 (nearest rank) and the greatest of a list. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

/** Calls of a kind that got neither all of their results nor a part of them. */
export function failedCalls(calls: readonly Call[], kind: Call['kind']): readonly Call[] {
  return calls.filter((call) => call.kind === kind && call.status !== 200 && call.status !== 206);
}

/** Calls that were answered before the first kill, when nothing but the load and the machine can make them fail. */
export function quietCalls(calls: readonly Call[], failovers: readonly Failover[]): readonly Call[] {
  const [{ killedAt } = { killedAt: Number.POSITIVE_INFINITY }] = failovers;
  return calls.filter(({ answeredAt }) => answeredAt < killedAt);
}

/** Calls that failed although the primary answered: sent after a promotion by more than `graceMs`, and answered before the next kill. */
export function failedOutside(
  failed: readonly Call[],
  failovers: readonly Failover[],
  graceMs: number,
): readonly Call[] {
  return failed.filter(
    ({ sentAt, answeredAt }) =>
      !failovers.some(({ killedAt, promotedAt }) => sentAt < promotedAt + graceMs && answeredAt > killedAt),
  );
}
