import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long work lets others proceed after this time. */
const MOST_MS = 5;

/**
 * Does work for each item, in turns of the event loop, so that work on many items doesn't hold up other requests. Work
 * that takes less than 5 ms is done in one turn; after longer work, the caller continues in a turn of its own. Rejects
 * if `work` throws.
 */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let endsAtMs = performance.now() + MOST_MS;
  let turns = 1;
  for (const item of items) {
    if (performance.now() >= endsAtMs) {
      turns += 1;
      await nextTurn();
      endsAtMs = performance.now() + MOST_MS;
    }
    work(item);
  }
  if (turns > 1) await nextTurn();
}
