import type { RetentionRun } from './proof.js';

const MOST_RETENTION_MS = 1_000;
const MOST_LOCK_MS = 50;
/** How much slower the slowest 1 % of bookings may be while partitions are dropped. */
const MOST_SLOWDOWN = 1.1;

/** The run in lines, and whether each bound holds. */
export interface RetentionReport {
  readonly lines: readonly string[];
  readonly isRetentionQuick: boolean;
  readonly isLockShort: boolean;
  readonly isBookingUnaffected: boolean;
}

/** Compares a run with what is promised. */
export function reportOf(run: RetentionRun): RetentionReport {
  const [before, during] = [p99(run.without), p99(run.during)];
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const longestLockMs = Math.max(...run.dropsMs);
  const dropMs = run.dropsMs.reduce((sum, one) => sum + one, 0);
  return {
    lines: [
      `${run.rowsRemoved} rows in ${run.dropsMs.length} partitions dropped in ${ms(dropMs)}; slowest round of the retention ${ms(run.slowestRoundMs)} (each at most ${MOST_RETENTION_MS} ms)`,
      `longest lock, with the wait for it: ${ms(longestLockMs)} (at most ${MOST_LOCK_MS} ms), tried again ${run.postponed} times`,
      `bookings, p99: ${ms(before)} without retention (${run.without.length}), ${ms(during)} with it (${run.during.length}): × ${(during / before).toFixed(2)} (at most ${MOST_SLOWDOWN})`,
    ],
    isRetentionQuick: Math.max(dropMs, run.slowestRoundMs) <= MOST_RETENTION_MS,
    isLockShort: longestLockMs <= MOST_LOCK_MS,
    isBookingUnaffected: during <= before * MOST_SLOWDOWN,
  };
}

/** NaN without values. */
function p99(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
}
