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

/** A period's counters, summed up. */
export interface UsageView {
  readonly total: Answers;
  /** Steps with calls, oldest first; `at` epoch seconds. */
  readonly steps: readonly (Answers & { readonly at: number })[];
  /** By operation, most calls first. */
  readonly operations: readonly (Answers & { readonly operation: string })[];
  readonly looks: number;
  /** Confirmed or accepted bookings. */
  readonly books: number;
}

const LOOKS = new Set(['searchVehicles', 'searchVehiclesByBody']);
const SEARCHES = new Set(['searchLocations', 'searchVehicles']);

/** Sums up the counters for the usage page. */
export function usageView(points: readonly UsagePoint[]): UsageView {
  const sum = (some: readonly UsagePoint[]): number => some.reduce((total, { calls }) => total + calls, 0);
  return {
    total: answersOf(points),
    steps: [...Map.groupBy(points, ({ at }) => at)].map(([at, some]) => ({ at, ...answersOf(some) })),
    operations: [...Map.groupBy(points, ({ operation }) => operation)]
      .map(([operation, some]) => ({ operation, ...answersOf(some) }))
      .sort((one, two) => two.calls - one.calls),
    looks: sum(points.filter(({ operation, status }) => LOOKS.has(operation) && status < 300)),
    books: sum(
      points.filter(({ operation, status }) => operation === 'createReservation' && (status === 201 || status === 202)),
    ),
  };
}

function answersOf(points: readonly UsagePoint[]): Answers {
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
