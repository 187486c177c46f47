import { FairQueue } from './fair-queue.js';

/** Time per turn of the event loop after which no further work begins. */
const MOST_MS = 8;

/** A request whose session or token may be checked again: undefined if it was a moment ago. */
interface Checked {
  reauthorizeIfLate(): Promise<void> | undefined;
}

/**
 * Spreads work over turns of the event loop. Admission limits what begins in a turn, but most of the work of a request begins when the store
 * or suppliers have answered, and their answers to many requests arrive together. Accounts are served in rotation.
 */
export class LoopTurns {
  readonly #waiting = new FairQueue<() => void>(Number.POSITIVE_INFINITY);
  /** Those whose turn had come, but whose session or token had to be checked again: they go first. */
  readonly #checked = new FairQueue<() => void>(Number.POSITIVE_INFINITY);
  #sinceMs = 0;
  #begun = 0;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Resolves when the caller may do some milliseconds of work without waiting in between; undefined = now, because it is the first in
   * this turn.
   */
  take(caller: string): Promise<void> | undefined {
    return this.#take(caller, this.#waiting);
  }

  /**
   * Like `take`. If a request waits for more than a moment, its session or token is checked again when its turn comes, and it begins in
   * one of the next. Rejects if it was revoked.
   */
  takeFor(request: Checked, caller: string): Promise<void> | undefined {
    const turn = this.take(caller);
    return turn?.then(() => request.reauthorizeIfLate()?.then(() => this.#take(caller, this.#checked)));
  }

  #take(caller: string, queue: FairQueue<() => void>): Promise<void> | undefined {
    if (this.#begun === 0 && this.#waiting.length === 0 && this.#checked.length === 0) {
      this.#begin();
      return undefined;
    }
    return new Promise((resolve) => {
      queue.push(caller, resolve);
      this.#plan();
    });
  }

  /** A callback for each, so that the time includes what the one before did in promises. */
  #plan(): void {
    setImmediate(() => {
      if (this.#begun > 0 && this.now() - this.#sinceMs >= MOST_MS) {
        this.#plan();
        return;
      }
      this.#begin();
      (this.#checked.shift(ANY) ?? this.#waiting.shift(ANY))?.();
    });
  }

  #begin(): void {
    this.#begun += 1;
    if (this.#begun > 1) return;
    this.#sinceMs = this.now();
    setImmediate(() => {
      this.#begun = 0;
    });
  }
}

const ANY = (): boolean => true;

/** For the calls, pages and answers of suppliers of the process. */
export const loopTurns = new LoopTurns();
