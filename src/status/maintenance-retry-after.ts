/**
 * The value of Retry-After for maintenance that ends at `endMs` (epoch milliseconds): whole seconds, at least 1. If no
 * end is announced, `usualSeconds`.
 */
export function retryAfterUntil(endMs: number | undefined, usualSeconds: number): string {
  return String(endMs === undefined ? usualSeconds : Math.max(1, Math.ceil((endMs - Date.now()) / 1000)));
}
