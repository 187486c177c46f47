import { TALLY_BOUNDS_MS } from '../../metrics/supplier-tallies.js';

/**
 * The duration in milliseconds that a share of the calls didn't exceed, interpolated within its bucket. Undefined without
 * calls. `counts` is by bucket of TALLY_BOUNDS_MS; the last bucket counts as its lower bound.
 */
export function percentile(counts: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let left = total * share;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && left <= count) {
      const low = TALLY_BOUNDS_MS[bucket - 1] ?? 0;
      const high = TALLY_BOUNDS_MS[bucket] ?? low;
      return low + (high - low) * (left / count);
    }
    left -= count;
  }
  return TALLY_BOUNDS_MS.at(-1);
}

/**
 * A duration in milliseconds that a share of the calls surely didn't exceed: the upper bound of the bucket in which `percentile` is, so
 * it is never shorter than a call was, nor does it claim to be one's duration. Infinity in the last bucket, undefined without calls.
 */
export function percentileBound(counts: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let left = total * share;
  const bucket = counts.findIndex((count) => {
    left -= count;
    return count > 0 && left <= 0;
  });
  return bucket < 0 ? undefined : (TALLY_BOUNDS_MS[bucket] ?? Number.POSITIVE_INFINITY);
}
