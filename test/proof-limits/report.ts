import type { FaultRun, LimitRun } from './evidence.js';
import { isFaultRunProven, isLimitProven, judgeFaults, judgeLimit } from './judge.js';

/** What a proof showed: lines for people, and facts for a file. */
export interface ProofReport {
  readonly isProven: boolean;
  readonly lines: readonly string[];
  readonly facts: object;
}

/** Judges all runs and writes the report. */
export function reportOf(runs: readonly LimitRun[], faults: FaultRun): ProofReport {
  const rows = runs.map((run) => ({ run, verdict: judgeLimit(run) }));
  const verdict = judgeFaults(faults);
  const isProven = isFaultRunProven(faults, verdict) && rows.every((row) => isLimitProven(row.run, row.verdict));
  const cells = rows.map(({ run, verdict: { admitted, refused, possible, share, over, strange } }) => [
    String(run.gateways),
    run.name,
    `${run.load} ×`,
    String(admitted),
    String(refused),
    run.isTightest ? `${(share * 100).toFixed(1)} % of ${possible}` : '',
    String(over),
    Object.entries(strange).map(pair).join(', '),
  ]);
  return {
    isProven,
    lines: [
      ...table([
        ['gateways', 'limit', 'load', 'admitted', '429', 'of what is possible', 'over', 'other responses'],
        ...cells,
      ]),
      '',
      ...Object.entries(verdict.answered).map(pair),
      `over-admitted while Redis failed: ${verdict.over}; unexpected responses: ${Object.entries(verdict.strange).map(pair).join(', ') || 'none'}`,
      `gateways that exited: ${verdict.crashed}`,
      isProven ? 'PROVEN' : 'NOT PROVEN',
    ],
    facts: {
      isProven,
      limits: rows.map(({ run: { calls, ...run }, verdict: row }) => ({ ...run, calls: calls.length, ...row })),
      faults: verdict,
    },
  };
}

function pair([name, count]: [string, number]): string {
  return `${name} ×${count}`;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
