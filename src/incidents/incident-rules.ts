import type { StoredCount } from './count-storage.js';

/** When calls are an incident: the settings `incidents`. */
export interface IncidentBounds {
  /** Share of failed calls, 0 to 1. */
  readonly failureShare: number;
  /** Full minutes in a row in which it is reached. */
  readonly minutes: number;
  /** Fewest calls in each of them. */
  readonly minCalls: number;
}

/** A part that fails. */
export interface FailingPart {
  /** `search`, `booking`, `token`, or `supplier:` and an id. */
  readonly part: string;
  /** The operations of the supplier; empty for the others. In alphabetical order. */
  readonly operations: readonly string[];
  /** Start of the first failing minute, epoch milliseconds. */
  readonly beganAt: number;
  /** Sums over these minutes. */
  readonly calls: number;
  readonly failed: number;
}

const MINUTE_MS = 60_000;
/** Gateways write their counts some seconds late. */
const LATE_MS = 15_000;
/** An incident ends when the share of failures is below this share of the bound. */
const CALM = 0.5;
/** Without any call for so long, an incident ends, because nothing shows that it goes on. */
const SILENT_MINUTES = 60;

/** The part that callers know: kinds of API calls are parts of their own. */
export function shownPart({ part, operation }: Pick<StoredCount, 'part' | 'operation'>): string {
  return part === 'api' ? operation : part;
}

/** The parts that fail by the counts of the last minutes, in order of part. `now` in epoch milliseconds. */
export function failingParts(
  rows: readonly StoredCount[],
  now: number,
  bounds: IncidentBounds,
): readonly FailingPart[] {
  const first = firstMinute(now, bounds.minutes);
  const failing = new Map<string, FailingPart>();
  for (const own of Map.groupBy(rows, ({ part, operation }) => `${part} ${operation}`).values()) {
    const [head] = own;
    const byMinute = new Map(own.map((row) => [row.at, row]));
    const isBad = (at: number): boolean => {
      const row = byMinute.get(at);
      return row !== undefined && row.calls >= bounds.minCalls && row.failed >= row.calls * bounds.failureShare;
    };
    const judged = Array.from({ length: bounds.minutes }, (_, index) => first + index * MINUTE_MS);
    if (!head || !judged.every(isBad)) continue;
    let beganAt = first;
    while (isBad(beganAt - MINUTE_MS)) beganAt -= MINUTE_MS;
    const bad = own.filter(({ at }) => at >= beganAt);
    const part = shownPart(head);
    const known = failing.get(part);
    failing.set(part, {
      part,
      operations: part === head.part ? [...(known?.operations ?? []), head.operation].sort() : [],
      beganAt: Math.min(beganAt, known?.beganAt ?? beganAt),
      calls: sum(bad, 'calls') + (known?.calls ?? 0),
      failed: sum(bad, 'failed') + (known?.failed ?? 0),
    });
  }
  return [...failing.values()].sort((one, other) => (one.part < other.part ? -1 : 1));
}

/**
 * When a part that failed recovered, epoch milliseconds; undefined if it hasn't. It has if in the last minutes there were
 * enough calls and the share of failures was at most half the bound in each, or if nothing called it for an hour.
 */
export function recoveredAt(
  { part, operations }: { readonly part: string; readonly operations: readonly string[] },
  rows: readonly StoredCount[],
  now: number,
  bounds: IncidentBounds,
): number | undefined {
  const own = rows.filter(
    (row) => shownPart(row) === part && (operations.length === 0 || operations.includes(row.operation)),
  );
  const last = own.reduce((latest, { at }) => Math.max(latest, at), 0);
  if (last < now - SILENT_MINUTES * MINUTE_MS) return now;
  const first = firstMinute(now, bounds.minutes);
  const recent = own.filter(({ at }) => at >= first);
  const isCalm = recent.every(({ calls, failed }) => failed <= calls * bounds.failureShare * CALM);
  return isCalm && sum(recent, 'calls') >= bounds.minCalls ? first : undefined;
}

/** The start of the first of the last full minutes. */
function firstMinute(now: number, minutes: number): number {
  return (Math.floor((now - LATE_MS) / MINUTE_MS) - minutes) * MINUTE_MS;
}

function sum(rows: readonly StoredCount[], member: 'calls' | 'failed'): number {
  return rows.reduce((total, row) => total + row[member], 0);
}
