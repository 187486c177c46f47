/** Milliseconds since `startedAt` (performance.now), rounded to tenths. */
export function elapsed(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
