/** Periods of a timeline and the step of their bars. */
export const SPANS = {
  '10m': { text: '10 minutes', lengthMs: 600_000, stepSeconds: 60 },
  '1h': { text: '1 hour', lengthMs: 3_600_000, stepSeconds: 60 },
  '24h': { text: '24 hours', lengthMs: 86_400_000, stepSeconds: 1_200 },
  '7d': { text: '7 days', lengthMs: 604_800_000, stepSeconds: 7_200 },
} as const;

export type SpanName = keyof typeof SPANS;

/** The shortest period with what began at `since`, and as much before it; an hour if nothing did. Epoch milliseconds. */
export function spanOf(since: number, now: number): SpanName {
  if (since >= now) return '1h';
  const fits = Object.entries(SPANS).find(([, { lengthMs }]) => (now - since) * 2 <= lengthMs);
  return (fits?.[0] as SpanName | undefined) ?? '7d';
}
