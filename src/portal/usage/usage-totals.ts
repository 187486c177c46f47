import type { UsagePoint } from '../../records/usage-reader.js';

/** Kinds of responses in the charts, from the bottom of the stack to the top. */
export const ANSWER_KINDS = ['complete', 'partial', 'refused', 'limited', 'failed'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** Number of responses by kind and in total. */
export interface Answers extends Readonly<Record<AnswerKind, number>> {
  readonly calls: number;
  /** Mean in milliseconds; 0 without calls. */
  readonly meanMs: number;
  /** Fraction of answered searches that were partial (0–1); undefined without any. */
  readonly partialShare: number | undefined;
}

/** Calls of one operation with one status. */
type Counted = Omit<UsagePoint, 'at'>;

/** A period's counters, summed up. */
export interface UsageView {
  readonly total: Answers;
  /** Steps with calls, oldest first; `at` epoch seconds. */
  readonly steps: readonly (Answers & { readonly at: number })[];
  /** By operation, most calls first. */
  readonly operations: readonly (Answers & { readonly operation: string })[];
}

const SEARCHED = new Set(['searchVehicles', 'searchVehiclesByBody']);
const SEARCHES = new Set(['searchLocations', 'searchVehicles']);

/** Sums up the counters for the usage page. */
export function usageView(points: readonly UsagePoint[]): UsageView {
  return {
    total: answersOf(points),
    steps: [...Map.groupBy(points, ({ at }) => at)].map(([at, some]) => ({ at, ...answersOf(some) })),
    operations: [...Map.groupBy(points, ({ operation }) => operation)]
      .map(([operation, some]) => ({ operation, ...answersOf(some) }))
      .sort((one, two) => two.calls - one.calls),
  };
}

/** Availability searches that were answered with cars. */
export function searchesIn(points: readonly Counted[]): number {
  return sum(points.filter(({ operation, status }) => SEARCHED.has(operation) && status < 300));
}

/** Prices of offers that were answered. */
export function pricesIn(points: readonly Counted[]): number {
  return sum(points.filter(({ operation, status }) => operation === 'priceOffer' && status < 300));
}

function sum(points: readonly Counted[]): number {
  return points.reduce((total, { calls }) => total + calls, 0);
}

/** Sums up counters by kind of response. */
export function answersOf(points: readonly Counted[]): Answers {
  const kinds: Record<AnswerKind, number> = { complete: 0, partial: 0, refused: 0, limited: 0, failed: 0 };
  let durationMs = 0;
  let searches = 0;
  let partialSearches = 0;
  for (const { operation, status, calls, durationMs: duration } of points) {
    kinds[kindOf(status)] += calls;
    durationMs += duration;
    if (!SEARCHES.has(operation) || (status !== 200 && status !== 206)) continue;
    searches += calls;
    if (status === 206) partialSearches += calls;
  }
  const calls = Object.values(kinds).reduce((total, part) => total + part, 0);
  return {
    ...kinds,
    calls,
    meanMs: calls === 0 ? 0 : durationMs / calls,
    partialShare: searches === 0 ? undefined : partialSearches / searches,
  };
}

function kindOf(status: number): AnswerKind {
  if (status === 206) return 'partial';
  if (status === 429) return 'limited';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'complete';
}
