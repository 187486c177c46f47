import type { LimitRate } from '../../src/store/gcra.js';
import { ADMITTED, type FaultRun, type LimitRun, type ObservedCall } from './evidence.js';

/** What one run shows. It is proven if `over` is 0, `share` reaches LEAST_SHARE and `strange` is empty. */
export interface LimitVerdict {
  readonly admitted: number;
  readonly refused: number;
  /** Calls that a bucket with this burst, refilled at this rate, can admit of calls that arrive at these times. */
  readonly possible: number;
  /** Admitted ÷ possible, give or take one call; at most 1. */
  readonly share: number;
  /** Calls admitted beyond what the limit allows in the worst window. */
  readonly over: number;
  /** Answers that are neither admitted nor 429: `status → count`. */
  readonly strange: Readonly<Record<string, number>>;
}

export interface FaultVerdict {
  readonly over: number;
  /** Answers that a phase doesn't allow: `phase status → count`. */
  readonly strange: Readonly<Record<string, number>>;
  /** Answers of every phase: `phase status → count`. */
  readonly answered: Readonly<Record<string, number>>;
  readonly crashed: number;
}

export const LEAST_SHARE = 0.99;

/** Calls. */
const CLOCK_ROUNDING = 0.001;

/** Judges the calls of one limit. Pure. */
export function judgeLimit({ rate, calls }: Pick<LimitRun, 'rate' | 'calls'>): LimitVerdict {
  const admitted = calls.filter(({ status }) => status === ADMITTED);
  const possible = Math.min(
    bucketOf(
      rate,
      calls.map(({ sentMs }) => sentMs),
    ),
    bucketOf(
      rate,
      calls.map(({ answeredMs }) => answeredMs),
    ),
  );
  return {
    admitted: admitted.length,
    refused: calls.filter(({ status }) => status === 429).length,
    possible,
    share: possible === 0 ? 1 : Math.min(1, (admitted.length + 1) / possible),
    over: overAdmitted(admitted, rate),
    strange: tally(
      calls.filter(({ status }) => status !== ADMITTED && status !== 429).map(({ status }) => String(status)),
    ),
  };
}

export function isLimitProven({ isTightest }: LimitRun, { over, share, strange }: LimitVerdict): boolean {
  return over === 0 && (!isTightest || share >= LEAST_SHARE) && Object.keys(strange).length === 0;
}

/** Judges the answers given while Redis failed. Only calls that lie entirely within a phase are judged. Pure. */
export function judgeFaults({ rate, phases, lossesMs, calls, gatewaysStarted, gatewaysAlive }: FaultRun): FaultVerdict {
  const inside = phases.flatMap((phase) =>
    calls
      .filter(({ sentMs, answeredMs }) => sentMs >= phase.fromMs && answeredMs <= phase.toMs)
      .map(({ status }) => ({ label: `${phase.name} ${status}`, isRight: phase.statuses.includes(status) })),
  );
  const admitted = calls.filter(({ status }) => status === ADMITTED);
  // A call in flight during a loss may have been counted before or after it, so it is left out.
  const borders = [Number.NEGATIVE_INFINITY, ...lossesMs, Number.POSITIVE_INFINITY];
  const lives = borders
    .slice(1)
    .map((end, at) => admitted.filter(({ sentMs, answeredMs }) => sentMs >= (borders[at] ?? end) && answeredMs <= end));
  return {
    over: lives.reduce((sum, life) => sum + overAdmitted(life, rate), 0),
    strange: tally(inside.filter(({ isRight }) => !isRight).map(({ label }) => label)),
    answered: tally(inside.map(({ label }) => label)),
    crashed: gatewaysStarted - gatewaysAlive,
  };
}

/** Whether nothing was wrong and every phase was observed. */
export function isFaultRunProven({ phases }: FaultRun, { over, strange, answered, crashed }: FaultVerdict): boolean {
  const seen = phases.every(({ name, statuses }) =>
    statuses.some((status) => answered[`${name} ${status}`] !== undefined),
  );
  return over === 0 && crashed === 0 && Object.keys(strange).length === 0 && seen;
}

/**
 * The worst excess over all windows. A gateway counts a call between its sending and its answer. So a window from one
 * sending to one answer certainly contains every call that was sent and answered in it, and may contain burst + rate ×
 * length of them.
 */
function overAdmitted(admitted: readonly ObservedCall[], { perMinute, burst }: LimitRate): number {
  const byAnswer = [...admitted].sort((one, other) => one.answeredMs - other.answeredMs);
  let worst = 0;
  for (const { sentMs: fromMs } of admitted) {
    let count = 0;
    for (const { sentMs, answeredMs } of byAnswer) {
      if (sentMs < fromMs) continue;
      count += 1;
      worst = Math.max(worst, count - (burst + ((answeredMs - fromMs) * perMinute) / 60_000));
    }
  }
  return worst > CLOCK_ROUNDING ? Math.ceil(worst) : 0;
}

/**
 * How many calls at these times a full bucket can admit. When a call reached the limit is unknown: both ends of its
 * interval are tried and the smaller number counts, because after a pause of the machine calls arrive in a burst, and
 * no limit could admit all that accrued during the pause.
 */
function bucketOf({ perMinute, burst }: LimitRate, timesMs: readonly number[]): number {
  let left = burst;
  let beforeMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  for (const atMs of [...timesMs].sort((one, other) => one - other)) {
    left = Math.min(burst, left + ((atMs - beforeMs) * perMinute) / 60_000);
    beforeMs = atMs;
    if (left < 1 - CLOCK_ROUNDING) continue;
    left -= 1;
    count += 1;
  }
  return count;
}

function tally(list: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of [...list].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
