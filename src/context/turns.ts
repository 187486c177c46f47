/**
 * Does heavy pieces of work one per turn of the event loop, so that whatever else is due waits for one of them at most.
 * Applications take turns, so that the work of one doesn't wait for all the work of another.
 */
export class Turns {
  /** By application, in the order in which they are next. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Resolves when it is this piece's turn: what runs synchronously after it is the piece. */
  next(application: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) this.#schedule();
      const own = this.#waiting.get(application);
      if (own) own.push(resolve);
      else this.#waiting.set(application, [resolve]);
    });
  }

  #schedule(): void {
    setImmediate(() => {
      for (const [application, pieces] of this.#waiting) {
        const [piece, ...rest] = pieces;
        this.#waiting.delete(application);
        if (rest.length > 0) this.#waiting.set(application, rest);
        piece?.();
        break;
      }
      if (this.#waiting.size > 0) this.#schedule();
    });
  }
}

/** The turns of this process. */
export const turns = new Turns();
