import { type Isolation, isSlowed } from './isolation.js';
import type { LeakRun } from './leaks.js';
import { FAULTS, type MatrixRow, OPERATIONS } from './matrix.js';

/** Everything the proof observed. */
export interface Evidence {
  readonly rows: readonly MatrixRow[];
  readonly isolation: Isolation;
  readonly leaks: LeakRun;
}

/** Findings against the claim: proven if all are 0. */
export interface Verdict {
  readonly wrong: number;
  readonly late: number;
  /** 1 if a hanging supplier slows the others. */
  readonly slowed: number;
  readonly sockets: number;
  readonly timers: number;
  readonly listeners: number;
  /** The number of bytes by which a heap grew beyond the allowance. */
  readonly heapBytes: number;
}

/** The heap size fluctuates; a leak of 50 bytes per call would show. */
export const MOST_GROWTH_BYTES = 5_000_000;

/** Judges the evidence. Pure. */
export function judge({ rows, isolation, leaks: { before, after } }: Evidence): Verdict {
  return {
    wrong: rows.filter(({ expected, told }) => expected !== told).length,
    late: rows.filter(({ lateMs }) => lateMs > 0).length,
    slowed: isSlowed(isolation) ? 1 : 0,
    sockets: Math.max(0, after.sockets - before.sockets),
    timers: Math.max(0, after.timers - before.timers),
    listeners: after.listenerWarnings,
    heapBytes: Math.max(0, after.heapBytes - before.heapBytes - MOST_GROWTH_BYTES),
  };
}

/** Whether there are no findings. */
export function isProven(verdict: Verdict): boolean {
  return Object.values(verdict).every((count) => count === 0);
}

/** The evidence for people; the second-to-last line is the verdict. */
export function reportLines(evidence: Evidence): string[] {
  const { rows, isolation, leaks } = evidence;
  const verdict = judge(evidence);
  const suppliers = [...new Set(rows.map(({ supplier }) => supplier))];
  const found = rows.filter(({ expected, told, lateMs }) => expected !== told || lateMs > 0);
  const { before, after, calls, seconds } = leaks;
  const megabytes = ((after.heapBytes - before.heapBytes) / 1_000_000).toFixed(2);
  return [
    `${suppliers.length} suppliers (${suppliers.join(', ')}) × ${Object.keys(FAULTS).length} faults × ${OPERATIONS.length} operations: ${rows.length} answers`,
    ...found.map(
      ({ supplier, fault, operation, expected, told, lateMs }) =>
        `  ${supplier}=${fault} ${operation}: ${told === expected ? told : `${told}, expected ${expected}`}${lateMs > 0 ? `, ${lateMs} ms late` : ''}`,
    ),
    `${isolation.hanging} hanging: p99 of the others ${isolation.calmP99Ms.toFixed(0)} → ${isolation.hangingP99Ms.toFixed(0)} ms, ratio ${isolation.ratio.toFixed(2)} over ${isolation.rounds} rounds each`,
    `${calls} calls timed out in ${seconds.toFixed(0)} s: sockets ${before.sockets} → ${after.sockets}, timers ${before.timers} → ${after.timers}, heap grew by ${megabytes} MB`,
    Object.entries(verdict)
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
    isProven(verdict) ? 'PROVEN' : 'NOT PROVEN',
  ];
}
