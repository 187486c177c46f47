import type { Evidence, GivenAnswer } from './evidence.js';
import { COUNTS, type Finding, isProven } from './judge.js';
import type { ProofResult } from './proof.js';

/** One row of the matrix: how a supplier's fault was answered and how its reservations ended, as `what → count`. */
export interface MatrixRow {
  readonly supplier: string;
  readonly fault: string;
  readonly intents: number;
  readonly answered: Readonly<Record<string, number>>;
  readonly ended: Readonly<Record<string, number>>;
}

/** The matrix supplier × fault, sorted by both. `ended` "none" = nothing was stored because nothing was started. */
export function matrixOf({ intents, reservations }: Evidence): MatrixRow[] {
  const states = new Map(reservations.map(({ key, state }) => [key, state]));
  return [...Map.groupBy(intents, ({ supplier, fault }) => `${supplier}|${fault}`)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, list]) => {
      const [supplier = '', fault = ''] = name.split('|');
      return {
        supplier,
        fault,
        intents: list.length,
        answered: tally(list.map(({ answers }) => answeredAs(answers))),
        ended: tally(list.map(({ key }) => states.get(key) ?? 'none')),
      };
    });
}

/** The results of a run, for the file of `--out`. */
export function factsOf({ evidence, verdict, ...facts }: ProofResult): object {
  const counts = Object.fromEntries(COUNTS.map((count) => [count, verdict[count].length]));
  return { counts, ...facts, ...verdict, matrix: matrixOf(evidence) };
}

/** The results of a run, line by line. */
export function reportLines(result: ProofResult): string[] {
  const { verdict, evidence, strikes, wire, seconds, clearingSeconds, replays, lostConnections } = result;
  const { intents } = evidence;
  const rows = matrixOf(evidence).map((row) => [
    row.supplier,
    row.fault,
    String(row.intents),
    told(row.answered),
    told(row.ended),
  ]);
  const changes = intents.flatMap((intent) => intent.changes.map(({ word }) => word));
  const cancels = intents.flatMap(({ cancel }) => cancel ?? []);
  const reported = Object.values(evidence.audited).map(({ verdict: one }) => one);
  return [
    ...table([['supplier', 'fault', 'n', 'answered', 'ended'], ...rows]),
    '',
    `changes: ${told(tally(changes))}`,
    `cancellations: ${told(tally(cancels))}`,
    ...verdict.review.map(
      ({ supplier, booked, notBooked, second, secondGone }) =>
        `listed ${supplier}: manual_review ${booked} booked, ${notBooked} not booked; second bookings ${second} booked, ${secondGone} not booked`,
    ),
    `${strikes.kills} kills (${strikes.pendingAtKill} reservations in progress; writes of killed gateways: ${strikes.insertsRolledBack} new reservations and ` +
      `${strikes.updatesRolledBack} outcomes rolled back, ${strikes.insertsAfterDeath} and ${strikes.updatesAfterDeath} stored after the kill), ` +
      `${strikes.databaseRestarts} database restarts, ${strikes.fullDisks} full disks (${strikes.writesRefused} writes refused), ` +
      `${strikes.clockSteps} wrong clocks, ${strikes.pauses} pauses (${Math.round(strikes.pausedMs / 1_000)} s), ${replays} replayed responses, ${lostConnections} lost connections`,
    `on the wire: ${told(wire)}`,
    `${strikes.restores} restores: ${strikes.reservationsLost} reservations lost, the audit reports ${told(tally(reported)) || 'nothing'}`,
    `${intents.length} bookings in ${seconds.toFixed(1)} s = ${(intents.length / seconds).toFixed(1)} per second, resolved ${clearingSeconds.toFixed(1)} s later`,
    ...COUNTS.flatMap((count) => findingLines(NAMES[count], verdict[count])),
    isProven(verdict) ? 'PROVEN' : 'NOT PROVEN',
  ];
}

const NAMES = {
  doubled: 'doubled',
  lost: 'lost',
  wronglyFinal: 'wrongly final',
  unresolved: 'unresolved',
  answeredDifferently: 'answered differently',
} as const;
const SHOWN = 20;

function findingLines(name: string, findings: readonly Finding[]): string[] {
  const lines = findings
    .slice(0, SHOWN)
    .map(({ supplier, fault, about, what }) => `  ${supplier} ${fault} ${about}: ${what}`);
  return [`${name}: ${findings.length}`, ...lines];
}

/** The final answer to a client's requests. */
function answeredAs(answers: readonly GivenAnswer[]): string {
  const last = answers.at(-1);
  if (!last) return 'nothing';
  const cause = /"cause":"(\w+)"/.exec(last.text)?.[1];
  return cause === undefined ? String(last.status) : `${last.status} ${cause}`;
}

function tally(list: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of [...list].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function told(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ×${count}`)
    .join(', ');
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
