/** Milliseconds since `startedAt` (of performance.now), in tenths. */
export function elapsed(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
