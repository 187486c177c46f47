import { FairQueue } from '../../http/admission/fair-queue.js';

/** Time per turn of the event loop after which no further page begins. */
const MOST_MS = 8;
/** More than requests can be in progress. */
const MOST_WAITING = 10_000;

/**
 * Spreads pages over turns of the event loop. Admission limits what begins in a turn, but the work on a page begins when
 * the store has answered, and its answers to many requests arrive together. Callers are served in rotation.
 */
export class PageTurns {
  readonly #waiting = new FairQueue<() => void>(MOST_WAITING);
  #isPlanned = false;
  #sinceMs = 0;
  #begun = 0;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Resolves when the caller may do some milliseconds of work without waiting in between. */
  take(caller: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(caller, resolve);
      this.#plan();
    });
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#begun = 0;
      // A callback for each, so that the time includes what the one before did in promises.
      for (let left = this.#waiting.length; left > 0; left -= 1) setImmediate(() => this.#next());
    });
  }

  #next(): void {
    if (this.#begun === 0) this.#sinceMs = this.now();
    if (this.now() - this.#sinceMs >= MOST_MS) {
      this.#plan();
      return;
    }
    this.#begun += 1;
    this.#waiting.shift(() => true)?.();
  }
}
