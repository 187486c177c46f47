import type { DurationCount, TimelinePoint } from '../../records/supplier-timeline.js';
import { callsOf, comparedFindings, countedSince, MINUTE_MS, WINDOW_MINUTES } from './compared-findings.js';
import type { Evidence, Finding, Reason } from './evidence.js';
import { meanOf, priceFindings } from './price-diagnosis.js';
import { sinceOf } from './since.js';

/** The gateways' own state: how late their event loops were on average, in milliseconds. */
export interface OwnHealth {
  readonly lagMs: number;
  readonly isLagging: boolean;
}

export interface Diagnosis {
  readonly own: OwnHealth;
  /** The most severe first. */
  readonly findings: readonly Finding[];
}

/** The window ends early when it has enough calls, so that a change shows within a minute or two. */
const ENOUGH_CALLS = 40;
/** After which a breaker that lets few calls pass is judged by what failed before it opened. */
const LONG_WINDOW_MINUTES = 30;
const LEAST_SHARE = 0.05;
const LEAST_FAILURES = 3;
/** For operations that few calls are made for. */
const LEAST_RARE_FAILURES = 2;
const COMMON = new Set(['searchVehicles', 'searchLocations']);
const LAGGING_MS = 40;
/** Failures of the path to a supplier: if all have them, the fault is in our network. */
const NETWORK = new Set(['timeout', 'unreachable', 'tls', 'slow']);
/** What we didn't send or read. */
const NOT_SENT = new Set(['circuit_open', 'own_limit', 'unread']);

/** Says what is unusual at each supplier, who can do something about it, and since when. Pure. */
export function diagnose(evidence: Evidence): Diagnosis {
  const own = ownHealth(evidence);
  const found = [...Map.groupBy(evidence.durations, ({ supplier, operation }) => `${supplier}|${operation}`).values()]
    .flatMap((rows) => findingsOf(rows, evidence))
    .concat(priceFindings(evidence));
  const called = new Set(
    evidence.durations.flatMap(({ at, supplier, cause }) => (at === null || NOT_SENT.has(cause) ? [] : [supplier])),
  );
  const findings = found
    .map((finding): Finding => {
      const alike = new Set(found.flatMap(({ kind, supplier }) => (kind === finding.kind ? [supplier] : [])));
      const reason = reasonOf(finding, {
        isEverywhere: called.size > 1 && alike.size === called.size,
        isLagging: own.isLagging,
        changedAt: evidence.changedAt?.get(finding.supplier),
      });
      return reason ? { ...finding, who: 'us', reason } : finding;
    })
    .sort((one, other) => weightOf(other) - weightOf(one));
  return { own, findings };
}

/** Why a finding is our fault although the supplier seems to cause it; undefined if it is not. */
function reasonOf(
  { kind, since }: Finding,
  own: { readonly isEverywhere: boolean; readonly isLagging: boolean; readonly changedAt: number | undefined },
): Reason | undefined {
  if (NETWORK.has(kind) && own.isEverywhere) return 'everywhere';
  if (own.isLagging && NETWORK.has(kind) && kind !== 'tls') return 'lag';
  const { changedAt } = own;
  const isThen = changedAt !== undefined && since !== undefined && since > changedAt - 2 * MINUTE_MS;
  return isThen && since < changedAt + 2 * MINUTE_MS ? 'file' : undefined;
}

/** The higher, the more urgent: money first, what only is slower last. */
export function weightOf({ kind, operation, share }: Finding): number {
  const isMoney = kind === 'price' || operation === 'book';
  return share + (isMoney ? 2 : 0) + (kind === 'slow' || kind === 'drift' ? -1 : 0);
}

/** The last two minutes if they are worse than the last ten, so that an overload shows as soon as what it causes. */
function ownHealth({ measures, now }: Evidence): OwnHealth {
  const lag = (minutes: number): number =>
    meanOf(
      measures.filter(
        ({ measure, at }) => measure === 'loop_lag' && at !== null && at >= now - (minutes + 1) * MINUTE_MS,
      ),
    ) ?? 0;
  const lagMs = Math.max(lag(1), lag(WINDOW_MINUTES));
  return { lagMs, isLagging: lagMs >= LAGGING_MS };
}

/** What is unusual about one operation. */
function findingsOf(rows: readonly DurationCount[], evidence: Evidence): readonly Finding[] {
  const [first] = rows;
  if (!first) return [];
  const { supplier, operation } = first;
  const windowFrom = windowStart(rows, evidence.now);
  const window = rows.filter(({ at }) => at !== null && at >= windowFrom);
  const before = rows.filter(({ at }) => at === null || at < windowFrom);
  const points = evidence.points.filter((point) => point.supplier === supplier && point.operation === operation);
  const since = (kind: string, share: number, base: number): number | undefined => sinceOf(points, kind, share, base);
  const open = callsOf(window, (cause) => cause === 'circuit_open');
  const all = callsOf(window);
  const isBlocked = all > 0 && open / all > 0.5;
  const judged = isBlocked
    ? rows.filter(({ at }) => at !== null && at >= evidence.now - LONG_WINDOW_MINUTES * MINUTE_MS)
    : window;
  const kinds = [...new Set(judged.map(({ cause }) => cause))].filter((cause) => !GOOD.has(cause));
  const failures = kinds.flatMap((kind): Finding[] => {
    if (kind === 'circuit_open') return [];
    const isOwn = NOT_SENT.has(kind);
    const calls = callsOf(judged, (cause) => cause === kind || isOwn || !NOT_SENT.has(cause));
    const failed = callsOf(judged, (cause) => cause === kind);
    const share = failed / calls;
    const sentBefore = callsOf(before, (cause) => !NOT_SENT.has(cause));
    const base = sentBefore === 0 ? 0 : callsOf(before, (cause) => cause === kind) / sentBefore;
    const least = COMMON.has(operation) ? LEAST_FAILURES : LEAST_RARE_FAILURES;
    if (failed < least || share < LEAST_SHARE) return [];
    const start = since(kind, share, isBlocked ? 0 : Math.min(base, share / 2));
    const isCounted = (cause: string): boolean => cause === kind || isOwn || !NOT_SENT.has(cause);
    const counted: readonly (DurationCount | TimelinePoint)[] = points.length === 0 ? judged : points;
    const isFailed = (cause: string): boolean => cause === kind;
    const sinceThen = countedSince(counted, start, { isCounted, isFailed, least });
    return [
      {
        ...{ supplier, operation, kind, since: start, isBlocked, who: OWN.has(kind) ? 'us' : 'them' },
        ...(sinceThen.share > 0 ? sinceThen : { calls, share }),
      },
    ];
  });
  // Without another known cause: the breaker was opened by another gateway, or before what is known.
  if (failures.length === 0 && isBlocked)
    return [
      {
        supplier,
        operation,
        kind: 'circuit_open',
        who: 'them',
        share: open / all,
        calls: all,
        since: since('circuit_open', 1, 0),
        isBlocked,
      },
    ];
  return [...failures, ...comparedFindings({ supplier, operation, rows, points, now: evidence.now })];
}

const GOOD = new Set(['answered', 'empty', 'refused']);
const OWN = new Set(['own_limit', 'unread', 'adapter_bug']);

/** As few of the newest minutes as have enough calls, at most ten. */
function windowStart(rows: readonly DurationCount[], now: number): number {
  const earliest = now - WINDOW_MINUTES * MINUTE_MS;
  const minutes = [...Map.groupBy(rows, ({ at }) => at)]
    .flatMap(([at, own]) => (at === null || at < earliest ? [] : [{ at, calls: callsOf(own) }]))
    .sort((one, other) => other.at - one.at);
  let calls = 0;
  for (const minute of minutes) {
    calls += minute.calls;
    if (calls >= ENOUGH_CALLS) return minute.at;
  }
  return earliest;
}
