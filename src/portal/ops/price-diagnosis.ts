import type { MeasurePoint } from '../../records/supplier-timeline.js';
import type { Evidence, Finding } from './evidence.js';

const MINUTE_MS = 60_000;
const WINDOW_MINUTES = 10;
const LONG_WINDOW_MINUTES = 30;
const LEAST_CHECKS = 3;
const LEAST_BASELINE = 20;
const PRICE_LOG = Math.log(3);
const LEAST_PRICED = 8;
/** How far prices of a minute have moved to their new level if it began in that minute, 0 to 1. */
const BEGUN = 0.2;
const DRIFT_SHARE = 0.2;

/** Prices of another level, and prices that change between search and price check. */
export function priceFindings({ measures, now }: Evidence): readonly Finding[] {
  const since = now - WINDOW_MINUTES * MINUTE_MS;
  return [...Map.groupBy(measures, ({ supplier }) => supplier)].flatMap(([supplier, rows]) => {
    const found: Finding[] = [];
    const base = { supplier, who: 'them', since: undefined, isBlocked: false } as const;
    const levels = rows.filter(({ measure }) => measure === 'price_level');
    const change = priceStep(levels, now);
    if (change)
      found.push({
        ...base,
        operation: 'searchVehicles',
        kind: 'price',
        share: 1,
        calls: change.count,
        since: change.at,
        figures: [Math.exp(change.log)],
      });
    const changes = rows.filter(({ measure }) => measure === 'price_change');
    const checks = changes.filter(({ at }) => at !== null && at >= since);
    const count = checks.reduce((sum, row) => sum + row.count, 0);
    const share = meanOf(checks) ?? 0;
    // Prices of another level change in the price check, or changed there before: one problem, not two.
    if (!change && count >= LEAST_CHECKS && share >= DRIFT_SHARE)
      found.push({
        ...{ ...base, operation: 'priceCheck', kind: 'drift', share, calls: count },
        since: driftSince(changes, share / 2),
      });
    return found;
  });
}

/** The first of the newest minutes in which prices changed that often; undefined if they always did. */
function driftSince(changes: readonly MeasurePoint[], least: number): number | undefined {
  let since: number | undefined;
  for (const row of timed(changes)) {
    if (row.sum / row.count < least) return since;
    since = row.at;
  }
  return changes.some(({ at }) => at === null) ? undefined : since;
}

/** Those with a minute, newest first. */
function timed(rows: readonly MeasurePoint[]): readonly (MeasurePoint & { readonly at: number })[] {
  return rows
    .filter((row): row is MeasurePoint & { at: number } => row.at !== null)
    .sort((one, other) => other.at - one.at);
}

/** The newest minutes with enough prices, compared with all others; undefined if their level is the usual one. */
function priceStep(
  levels: readonly MeasurePoint[],
  now: number,
): { readonly at: number; readonly count: number; readonly log: number } | undefined {
  const sorted = timed(levels);
  const newest: MeasurePoint[] = [];
  let count = 0;
  for (const row of sorted) {
    if (count >= LEAST_PRICED || row.at < now - LONG_WINDOW_MINUTES * MINUTE_MS) break;
    newest.push(row);
    count += row.count;
  }
  const before = levels.filter((row) => !newest.includes(row));
  const [level, usual] = [meanOf(newest), meanOf(before)];
  if (level === undefined || usual === undefined || count < LEAST_PRICED) return undefined;
  if (before.reduce((sum, row) => sum + row.count, 0) < LEAST_BASELINE) return undefined;
  if (Math.abs(level - usual) < PRICE_LOG) return undefined;
  let at = now;
  for (const [minute, rows] of Map.groupBy(sorted, (row) => row.at)) {
    const older = meanOf(levels.filter((row) => row.at === null || row.at < minute)) ?? usual;
    const moved = ((meanOf(rows) ?? older) - older) / (level - older);
    if (moved >= BEGUN) at = minute;
    if (moved < 0.5) break;
  }
  return { at, count, log: level - usual };
}

/** The mean of measures; undefined without any. */
export function meanOf(rows: readonly Pick<MeasurePoint, 'count' | 'sum'>[]): number | undefined {
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  return count === 0 ? undefined : rows.reduce((sum, row) => sum + row.sum, 0) / count;
}
