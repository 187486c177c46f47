/** Requests that may begin in one turn of the event loop, and the time after which no further one begins. */
const MOST_PER_TURN = 32;
const MOST_MS = 8;

/**
 * Spreads a burst of requests over several turns of the event loop. Otherwise hundreds of requests that arrive together
 * would delay everything else, such as health checks, until all of them were authenticated, and costly ones, such as pages,
 * until 32 of them were answered.
 */
export class RequestTurns {
  readonly #waiting: (() => void)[] = [];
  #begun = 0;
  #sinceMs = 0;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Calls `begin` now, or in order of arrival when it is this request's turn. */
  enter(begin: () => void): void {
    if (this.#waiting.length === 0 && this.#hasTime()) this.#begin(begin);
    else this.#waiting.push(begin);
  }

  #hasTime(): boolean {
    if (this.#begun === 0) return true;
    return this.#begun < MOST_PER_TURN && this.now() - this.#sinceMs < MOST_MS;
  }

  #begin(begin: () => void): void {
    if (this.#begun === 0) {
      this.#sinceMs = this.now();
      setImmediate(() => this.#nextTurn());
    }
    this.#begun += 1;
    begin();
  }

  #nextTurn(): void {
    this.#begun = 0;
    // A callback for each, so that the time includes what the one before did in promises.
    for (let left = Math.min(this.#waiting.length, MOST_PER_TURN); left > 0; left -= 1)
      setImmediate(() => this.#beginNext());
  }

  #beginNext(): void {
    if (!this.#hasTime()) return;
    const begin = this.#waiting.shift();
    if (begin) this.#begin(begin);
  }
}
