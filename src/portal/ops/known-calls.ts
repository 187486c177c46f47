import type { TimelinePoint } from '../../records/supplier-timeline.js';
import { listed } from './diagnosis-text.js';
import { operationWords } from './failure-words.js';
import { groupOf } from './outcome-groups.js';
import { blocksBookings, COMPARED, type Problem } from './problems.js';

const HOUR_MS = 3_600_000;

/** What is known of a supplier's calls of the last 24 hours; epoch milliseconds. */
export interface KnownCalls {
  /** The step of the first one; undefined without calls. */
  readonly since: number | undefined;
  /** The step of the last call that was sent, by operation. */
  readonly last: ReadonlyMap<string, number>;
}

/** What the points of one supplier, in any order, say about its calls. */
export function knownCalls(points: readonly TimelinePoint[]): KnownCalls {
  const last = new Map<string, number>();
  let since: number | undefined;
  for (const { operation, cause, at } of points) {
    since = Math.min(since ?? at, at);
    if (groupOf(cause) !== 'unsent') last.set(operation, Math.max(last.get(operation) ?? at, at));
  }
  return { since, last };
}

/** From when on calls are counted beside a problem: since the first full minute of it; without one, of the last hour. */
export function countedSinceOf(problem: Problem | undefined, now: number): number {
  return problem?.countedFrom ?? problem?.since ?? now - HOUR_MS;
}

/**
 * What is known of the operations that a problem isn't in, as sentences: which were called since it began and have no problem (of `all`, those of
 * the supplier), and which were not called since. Nothing is known of the latter, except that they will fail as well if every operation that
 * was called does. '' if there are none.
 */
export function otherOperationsText(problem: Problem, all: readonly Problem[], { last }: KnownCalls): string {
  const from = problem.countedFrom ?? problem.since;
  const failing = new Set(all.flatMap(({ parts }) => parts.map(({ operation }) => operation)));
  if (blocksBookings(problem)) failing.add('book');
  const others = [...last].filter(([operation]) => from !== undefined && !failing.has(operation));
  const [called, uncalled] = [true, false].map((isCalled) =>
    others.filter(([, at]) => isCalled === at >= (from ?? 0)).map(([operation]) => operation),
  ) as [string[], string[]];
  // What was booked or checked at a wrong price is not unaffected.
  const spared = problem.kind === 'price' ? called.filter((operation) => !PRICED.has(operation)) : called;
  const isWhole =
    called.length === 0 && problem.parts.every(({ kind, share }) => !COMPARED.has(kind) && share >= WHOLE);
  const outlook = isWhole ? ', but every operation that was called fails: expect them to fail as well' : '';
  return [
    spared.length > 0 && `Not affected: ${listed(spared.map(operationWords))}.`,
    uncalled.length > 0 && `Not called since it began: ${listed(uncalled.map(operationWords))}${outlook}.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

/** Operations that rely on the prices of searches. */
const PRICED = new Set(['priceCheck', 'book']);
/** From which share on an operation fails completely; some calls are answered before a breaker opens. */
const WHOLE = 0.9;

/** That nothing is unusual, and what that is compared with. */
export function normalText(name: string, { since }: KnownCalls, now: number): string {
  if (since === undefined) return `Nothing is known of ${name}: it was not called in the last 24 hours.`;
  const minutes = Math.max(1, Math.ceil((now - since) / 60_000));
  if (minutes >= 23 * 60) return `Nothing unusual at ${name} compared with the last 24 hours.`;
  const known = minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
  return `Nothing unusual at ${name}, as far as ${known} of calls can show: earlier ones are not known.`;
}

/** How many of the failed calls of a period are kept, as a sentence; '' without any. `from`: epoch milliseconds. */
export function sampleText(
  failures: readonly { readonly at: number }[],
  points: readonly { readonly cause: string; readonly calls: number }[],
  period: string,
  from: number,
): string {
  const failed = points
    .filter(({ cause }) => !NOT_FAILED.has(groupOf(cause)))
    .reduce((sum, { calls }) => sum + calls, 0);
  const shown = failures.filter(({ at }) => at >= from).length;
  return failed === 0
    ? ''
    : `A sample: ${Math.min(shown, failed)} of ${failed} failed calls of the last ${period} are shown.`;
}

const NOT_FAILED = new Set<string>(['answered', 'empty', 'unsent']);
