import type { TwoPeriods } from '../../database/two-periods.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Periods until now, and the step of their charts. */
export const PERIODS = {
  hour: { name: '1 hour', lengthMs: HOUR_MS, stepSeconds: 60 },
  day: { name: '24 hours', lengthMs: DAY_MS, stepSeconds: 900 },
  week: { name: '7 days', lengthMs: 7 * DAY_MS, stepSeconds: 7_200 },
  month: { name: '30 days', lengthMs: 30 * DAY_MS, stepSeconds: 86_400 },
} as const;

/** Steps of other periods: the shortest with which a chart has at most MOST_STEPS. */
const STEPS = [60, 300, 900, 3_600, 7_200, 21_600, 86_400, 604_800] as const;
const MOST_STEPS = 100;
/** Counters of calls to suppliers are added up in slots of this length, so every period begins with one. */
const SLOT_SECONDS = 300;
/** Longer than counters are kept by default. */
const LONGEST_MS = 400 * DAY_MS;

/** A chosen period, and the one of the same length before it. */
export interface Range extends TwoPeriods {
  readonly name: keyof typeof PERIODS | 'custom';
  readonly stepSeconds: number;
}

/** What may be entered: the days of `custom` are UTC days, `to` included. */
export interface RangeChoice {
  readonly period: Range['name'];
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The chosen period. Without two valid days in their order, `custom` is the last day. Begins with a complete step. */
export function rangeOf({ period, from, to }: RangeChoice, now: number): Range {
  if (period !== 'custom') return lasting(period, now);
  const [first, last] = [dayOf(from), dayOf(to)];
  if (first === undefined || last === undefined || first > last || first >= now) return lasting('day', now);
  const end = Math.min(last + DAY_MS, now);
  const start = Math.max(first, end - LONGEST_MS);
  const stepSeconds = STEPS.find((step) => (end - start) / 1_000 / step <= MOST_STEPS) ?? STEPS[7];
  return { name: 'custom', before: start - (end - start), from: start, to: end, stepSeconds };
}

function lasting(name: keyof typeof PERIODS, now: number): Range {
  const { lengthMs, stepSeconds } = PERIODS[name];
  const alignMs = Math.max(stepSeconds, SLOT_SECONDS) * 1_000;
  const from = Math.floor((now - lengthMs) / alignMs) * alignMs;
  return { name, before: from - (now - from), from, to: now, stepSeconds };
}

function dayOf(text: string | undefined): number | undefined {
  const at = /^[12]\d{3}-\d\d-\d\d$/.test(text ?? '') ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
