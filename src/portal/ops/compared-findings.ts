import { bucketOf, TALLY_BOUNDS_MS } from '../../metrics/supplier-tallies.js';
import type { DurationCount, TimelinePoint } from '../../records/supplier-timeline.js';
import type { Finding } from './evidence.js';
import { percentile } from './percentile.js';
import { isClearlyMore, type Outcomes, sinceOf } from './since.js';

/** A minute in milliseconds. */
export const MINUTE_MS = 60_000;
/** How many of the newest minutes are judged. */
export const WINDOW_MINUTES = 10;
const LEAST_COMPARED = 5;
const ENOUGH_COMPARED = 12;
const LEAST_BASELINE = 20;
const SLOW_FACTOR = 2;
const SLOW_MS = 40;
/** Some answers are always slow: a single one proves nothing. */
const LEAST_SLOW_SHARE = 0.05;
const EMPTY_SHARE = 0.8;

interface Compared {
  readonly supplier: string;
  readonly operation: string;
  readonly rows: readonly DurationCount[];
  /** The points of this operation. */
  readonly points: readonly TimelinePoint[];
  readonly now: number;
}

/** What only shows in comparison with the last 24 hours: slow and empty answers. */
export function comparedFindings({ supplier, operation, rows, points, now }: Compared): readonly Finding[] {
  const base = { supplier, operation, who: 'them', isBlocked: false } as const;
  const steps = splits(rows, now);
  const empty = bestOf(steps.map(emptyStep));
  const slow = bestOf(steps.map(slowStep));
  return [
    ...(empty ? [{ ...base, kind: 'empty', ...emptySince(points, empty) }] : []),
    ...(slow
      ? [
          {
            ...{ ...base, kind: 'slow', share: 1, calls: slow.calls, figures: [slow.now, slow.usual] },
            since: slowSince(rows, slow),
          },
        ]
      : []),
  ];
}

type Counts = Pick<Finding, 'calls' | 'share' | 'countedFrom'>;

function emptySince(points: readonly TimelinePoint[], { now, usual }: Step): Counts & Pick<Finding, 'since'> {
  const since = sinceOf(points, 'empty', now, usual);
  const isEmpty = (cause: string): boolean => cause === 'empty';
  return { since, ...countedSince(points, since, { isCounted: isAnswer, isFailed: isEmpty, least: LEAST_COMPARED }) };
}

/** A change of a number between earlier and recent answers. */
interface Step {
  /** The first minute of the recent answers, epoch milliseconds. */
  readonly at: number;
  readonly now: number;
  readonly usual: number;
  /** Recent answers. */
  readonly calls: number;
}

/**
 * Recent and earlier rows, divided before and in each of the last ten minutes: it isn't known when the change was. The minute in
 * which it was belongs to neither: with few minutes of history, its calls would hide the change on either side.
 */
function splits(
  rows: readonly DurationCount[],
  now: number,
): readonly {
  readonly at: number;
  readonly recent: readonly DurationCount[];
  readonly earlier: readonly DurationCount[];
}[] {
  const minutes = new Set(
    rows.flatMap(({ at }) => (at !== null && at >= now - WINDOW_MINUTES * MINUTE_MS ? [at] : [])),
  );
  return [...minutes].flatMap((minute) => {
    const recent = rows.filter(({ at }) => at !== null && at >= minute);
    return [minute, minute - MINUTE_MS].map((before) => ({
      at: minute,
      recent,
      earlier: rows.filter(({ at }) => at === null || at < before),
    }));
  });
}

function bestOf(steps: readonly (Step | undefined)[]): Step | undefined {
  const gain = ({ now, usual }: Step): number => now / Math.max(usual, 0.001);
  return steps.filter((step) => step !== undefined).sort((one, other) => gain(other) - gain(one))[0];
}

type Split = ReturnType<typeof splits>[number];

function emptyStep({ at, recent, earlier }: Split): Step | undefined {
  const share = (rows: readonly DurationCount[], answers: number): number =>
    answers === 0 ? 0 : callsOf(rows, (cause) => cause === 'empty') / answers;
  const [calls, before] = [answersOf(recent), answersOf(earlier)];
  if (calls < LEAST_COMPARED) return undefined;
  const [now, usual] = [share(recent, calls), share(earlier, before)];
  const isUnusual = before >= LEAST_BASELINE ? usual <= now / 2 : now === 1 && calls >= LEAST_BASELINE;
  return now >= EMPTY_SHARE && isUnusual ? { at, now, usual, calls } : undefined;
}

function slowStep({ at, recent, earlier }: Split): Step | undefined {
  const calls = answersOf(recent);
  if (calls < ENOUGH_COMPARED || answersOf(earlier) < LEAST_BASELINE) return undefined;
  const [now, usual, seldom] = [
    percentile(bucketsOf(recent), 0.5),
    percentile(bucketsOf(earlier), 0.5),
    percentile(bucketsOf(earlier), 0.85),
  ];
  if (now === undefined || usual === undefined || seldom === undefined) return undefined;
  return now >= usual * SLOW_FACTOR && now - usual >= SLOW_MS && now > seldom ? { at, now, usual, calls } : undefined;
}

function isAnswer(cause: string): boolean {
  return cause === 'answered' || cause === 'empty';
}

function answersOf(rows: readonly Counted[]): number {
  return callsOf(rows, isAnswer);
}

/**
 * The first of the newest minutes that are slow, or the one before it if clearly more of its answers are than usual; if the newest
 * one isn't slow, that from which on most answers are.
 */
function slowSince(rows: readonly DurationCount[], { at: changed, now, usual }: Step): number | undefined {
  const limitMs = (now + usual) / 2;
  const recent = rows.filter((row): row is DurationCount & { at: number } => row.at !== null);
  let since: number | undefined;
  for (const [at, same] of [...Map.groupBy(recent, ({ at }) => at)].sort(([one], [other]) => other - one)) {
    const median = percentile(bucketsOf(same), 0.5);
    if (median === undefined) continue;
    if (median >= limitMs) {
      since = at;
      continue;
    }
    const older = slowerThan(
      rows.filter((row) => row.at === null || row.at < at),
      limitMs,
    );
    const share = older.failed / Math.max(1, older.failed + older.others);
    return since !== undefined && isClearlyMore(slowerThan(same, limitMs), Math.max(share, LEAST_SLOW_SHARE))
      ? at
      : (since ?? changed);
  }
  return rows.some(({ at }) => at === null) ? undefined : since;
}

/** Answers in the bucket of a duration in milliseconds and in those above, and the others. */
function slowerThan(rows: readonly DurationCount[], limitMs: number): Outcomes {
  const first = bucketOf(limitMs);
  const isSlow = ({ bucket }: DurationCount): boolean => bucket >= first;
  return { failed: answersOf(rows.filter(isSlow)), others: answersOf(rows.filter((row) => !isSlow(row))) };
}

interface Counted {
  readonly cause: string;
  readonly calls: number;
}

/** The sum of the calls whose cause is counted; of all without `isCounted`. */
export function callsOf(rows: readonly Counted[], isCounted: (cause: string) => boolean = () => true): number {
  return rows.reduce((sum, { cause, calls }) => sum + (isCounted(cause) ? calls : 0), 0);
}

/** How the calls of a fault are counted, by their cause. */
interface Counting {
  readonly isCounted: (cause: string) => boolean;
  readonly isFailed: (cause: string) => boolean;
  /** Fewer calls say nothing. */
  readonly least: number;
}

/**
 * The calls since a fault began, the share of them that failed, and the first step that is counted. Without the minute in which
 * it began, which also has calls from before, if the others have at least `least` calls; but with it if fewer of the others
 * failed: then the fault has stopped, or it began at the start of that minute.
 */
export function countedSince(
  rows: readonly (Counted & { readonly at: number | null })[],
  start: number | undefined,
  { isCounted, isFailed, least }: Counting,
): Counts {
  const [withFirst, others] = [(at: number) => at >= (start ?? 0), (at: number) => at > (start ?? 0)].map((isSince) => {
    const since = rows.filter(({ at }) => at !== null && isSince(at));
    const calls = callsOf(since, isCounted);
    const from = Math.min(...since.map(({ at }) => at ?? Number.POSITIVE_INFINITY));
    const countedFrom = Number.isFinite(from) ? from : undefined;
    return { calls, share: callsOf(since, isFailed) / Math.max(1, calls), countedFrom };
  }) as [Counts, Counts];
  return others.calls >= least && others.share >= withFirst.share ? others : withFirst;
}

/** Answers by bucket of their duration. */
export function bucketsOf(rows: readonly Pick<DurationCount, 'cause' | 'bucket' | 'calls'>[]): readonly number[] {
  const counts = new Array<number>(TALLY_BOUNDS_MS.length + 1).fill(0);
  for (const { cause, bucket, calls } of rows)
    if (cause === 'answered' || cause === 'empty') counts[bucket] = (counts[bucket] ?? 0) + calls;
  return counts;
}
