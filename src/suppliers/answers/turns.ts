import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long work lets others proceed after this time. */
const MOST_MS = 8;

/**
 * Divides work on many items into turns of the event loop, so that it doesn't hold up other requests: after each item,
 * `if (turns.isOver()) await turns.next()`. Short work has a single turn and doesn't wait.
 */
export class Turns {
  #endsAtMs = performance.now() + MOST_MS;

  isOver(): boolean {
    return performance.now() >= this.#endsAtMs;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#endsAtMs = performance.now() + MOST_MS;
  }
}
