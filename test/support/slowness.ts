const TEXT = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, name: `car ${id}`, tags: ['a', 'b'] })));
/** What one round of `compute` takes on the machine for which limits are written, in milliseconds; estimated, as half of the best on a slow one. */
const NOMINAL_MS = 8;
const ROUNDS = 9;
/** The lower one: garbage collection of the test itself doesn't make the machine slow. */
const QUARTILE = 2;
const MOST = 4;

/**
 * `ms` on the machine for which the limits of tests are written, converted to this one as fast as it is now, in
 * milliseconds: never less than `ms`, at most four times as much. For a limit on CPU time, which is
 * higher on a slow or busy machine. Blocks the thread for about 0.1 s.
 */
export function slowed(ms: number): number {
  const rounds = Array.from({ length: ROUNDS }, compute).sort((one, other) => one - other);
  return ms * Math.min(MOST, Math.max(1, (rounds[QUARTILE] ?? 0) / NOMINAL_MS));
}

/** Reads and writes JSON, as a gateway does. Returns how long it took, in milliseconds. */
function compute(): number {
  const startedAt = performance.now();
  for (let round = 0; round < 5; round += 1) JSON.stringify(JSON.parse(TEXT));
  return performance.now() - startedAt;
}
