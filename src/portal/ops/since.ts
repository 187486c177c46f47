import type { TimelinePoint } from '../../records/supplier-timeline.js';

/** Shares are never taken as certain: a single call proves nothing. */
const LEAST_SHARE = 0.005;
const MOST_SHARE = 0.98;
/** They say nothing about the supplier. */
const OURS = new Set(['own_limit', 'unread']);
/** By how much (natural logarithm of a likelihood) later good calls must outweigh the fault to have been its absence. */
const CERTAIN = 12;

/**
 * When calls began to end with `kind`: of all steps, the one from which on `share` explains the calls until now best, and
 * before which `base` does (the likeliest change point). It searches back from the newest step and stops at a period
 * without the fault. Calls that weren't sent because the breaker was open count as failed, those that we
 * didn't send or read for another reason count as nothing. Undefined if no step has such
 * calls. `points` are those of one operation, in any order; epoch milliseconds.
 */
export function sinceOf(
  points: readonly TimelinePoint[],
  kind: string,
  share: number,
  base: number,
): number | undefined {
  const before = Math.min(Math.max(base, LEAST_SHARE), MOST_SHARE / 2);
  const during = Math.min(Math.max(share, before * 1.5), MOST_SHARE);
  const bad = Math.log(during / before);
  const good = Math.log((1 - during) / (1 - before));
  let since: number | undefined;
  let [sum, most] = [0, 0];
  for (const [at, rows] of [...Map.groupBy(points, (point) => point.at)].sort(([one], [other]) => other - one)) {
    for (const { cause, calls } of rows)
      if (cause === kind || cause === 'circuit_open') sum += calls * bad;
      else if (!OURS.has(cause)) sum += calls * good;
    if (sum > most) [since, most] = [at, sum];
    if (sum < most - CERTAIN) break;
  }
  return since;
}
