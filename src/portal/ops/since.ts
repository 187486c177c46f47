import type { TimelinePoint } from '../../records/supplier-timeline.js';

/** Shares are never taken as certain: a single call proves nothing. */
const LEAST_SHARE = 0.005;
const MOST_SHARE = 0.98;
/** They say nothing about the supplier. */
const OURS = new Set(['own_limit', 'unread']);
/** By how much (natural logarithm of a likelihood) later good calls must outweigh the fault to have been its absence. */
const CERTAIN = 12;
/** The same for failures of the minute before, in which the fault may have begun: it is likelier than not that it did. */
const CLEAR = 0.5;

/**
 * When calls began to end with `kind`: of all steps, the one from which on `share` explains the calls until now best, and
 * before which `base` does (the likeliest change point). It searches back from the newest step and stops at a period
 * without the fault. If the step before it has clearly more such calls than the steps before that, the fault began within that one. Calls that weren't sent because the breaker was
 * open count as failed; those that the gateway didn't send or read for another reason are ignored. Undefined if no step has such calls. `points` are those of one
 * operation, in any order; epoch milliseconds.
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
  const steps = [...Map.groupBy(points, (point) => point.at)].sort(([one], [other]) => other - one);
  for (const [at, rows] of steps) {
    const { failed, others } = outcomesOf(rows, kind);
    sum += failed * bad + others * good;
    if (sum > most) [since, most] = [at, sum];
    if (sum < most - CERTAIN) break;
  }
  const position = steps.findIndex(([step]) => step === since) + 1;
  const [at, rows] = steps[position] ?? [];
  if (since === undefined || !rows) return since;
  // What is usual without the step that may be the first of the fault: of a short history, it would be much of it.
  const older = outcomesOf(
    steps.slice(position + 1).flatMap(([, own]) => own),
    kind,
  );
  const calls = older.failed + older.others;
  const usual = calls === 0 ? before : Math.min(Math.max(older.failed / calls, LEAST_SHARE), MOST_SHARE / 2);
  return isClearlyMore(outcomesOf(rows, kind), usual) ? at : since;
}

/** Calls that have a fault, and those that don't. */
export interface Outcomes {
  readonly failed: number;
  readonly others: number;
}

function outcomesOf(rows: readonly TimelinePoint[], kind: string): Outcomes {
  const sum = (isCounted: (cause: string) => boolean): number =>
    rows.reduce((total, { cause, calls }) => total + (isCounted(cause) ? calls : 0), 0);
  const isFailed = (cause: string): boolean => cause === kind || cause === 'circuit_open';
  return { failed: sum(isFailed), others: sum((cause) => !isFailed(cause) && !OURS.has(cause)) };
}

/** Whether so many calls have the fault that their own share explains them much better than the usual one (0 to 1). */
export function isClearlyMore({ failed, others }: Outcomes, usual: number): boolean {
  const share = failed / Math.max(1, failed + others);
  if (share <= usual) return false;
  const gain = failed * Math.log(share / usual) + (others === 0 ? 0 : others * Math.log((1 - share) / (1 - usual)));
  return gain >= CLEAR;
}
