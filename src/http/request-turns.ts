/** Requests that may begin in one turn of the event loop. */
const MAX_PER_TURN = 32;

/**
 * Spreads a burst of requests over several turns of the event loop. Otherwise hundreds of requests that arrive together
 * would delay everything else, such as health checks, until all of them were authenticated.
 */
export class RequestTurns {
  readonly #waiting: (() => void)[] = [];
  #begun = 0;

  /** Calls `begin` now, or in order of arrival when it is this request's turn. */
  enter(begin: () => void): void {
    if (this.#waiting.length > 0 || this.#begun >= MAX_PER_TURN) this.#waiting.push(begin);
    else this.#begin(begin);
  }

  #begin(begin: () => void): void {
    if (this.#begun === 0) setImmediate(() => this.#nextTurn());
    this.#begun += 1;
    begin();
  }

  #nextTurn(): void {
    this.#begun = 0;
    for (const begin of this.#waiting.splice(0, MAX_PER_TURN)) this.#begin(begin);
  }
}
