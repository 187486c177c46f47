/** A window pair of burn alerts: the long window shows that a burn matters, the short one that it goes on. */
export interface BurnPair {
  readonly name: 'fast' | 'slow';
  /** Alerts if this share of the error budget would be spent within the long window. */
  readonly budgetShare: number;
  readonly longMs: number;
  readonly shortMs: number;
  /** Failures in the long window below which it does not alert, as a multiple of the setting `slo.minimumFailures`. */
  readonly failures: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** With an error budget of 30 days, these are 14.4 and 6 times the speed that would just spend it. */
export const BURN_PAIRS: readonly BurnPair[] = [
  { name: 'fast', budgetShare: 0.02, longMs: HOUR_MS, shortMs: 5 * MINUTE_MS, failures: 1 },
  { name: 'slow', budgetShare: 0.05, longMs: 6 * HOUR_MS, shortMs: 30 * MINUTE_MS, failures: 2 },
];

/** The share of failures above which a pair alerts. */
export function burnLimit(
  { target, windowDays }: { readonly target: number; readonly windowDays: number },
  { budgetShare, longMs }: BurnPair,
): number {
  return ((budgetShare * windowDays * DAY_MS) / longMs) * (1 - target);
}
