const HOUR_MS = 3_600_000;

/** Periods of the usage page and the step of their charts. */
export const PERIODS = {
  hour: { name: '1 hour', lengthMs: HOUR_MS, stepSeconds: 60 },
  day: { name: '24 hours', lengthMs: 24 * HOUR_MS, stepSeconds: 900 },
  week: { name: '7 days', lengthMs: 168 * HOUR_MS, stepSeconds: 7_200 },
} as const;

export type PeriodName = keyof typeof PERIODS;
