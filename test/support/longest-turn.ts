/**
 * The longest time that the event loop was held up until `done` resolves, and the time of all of it, in milliseconds. Compare
 * the two: a machine that pauses makes both longer.
 */
export async function longestTurn(done: Promise<unknown>): Promise<{ readonly longest: number; readonly all: number }> {
  const startedAt = performance.now();
  let [longest, lastMs, isOver] = [0, startedAt, false];
  const ended = done.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 0))]);
    longest = Math.max(longest, performance.now() - lastMs);
    lastMs = performance.now();
  }
  return { longest, all: performance.now() - startedAt };
}
