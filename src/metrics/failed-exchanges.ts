/** One HTTP call of a failed operation and its answer, masked and cut. */
export interface MaskedExchange {
  readonly method: string;
  readonly path: string;
  /** Empty = without a body. */
  readonly sent: string;
  /** Null = no answer. */
  readonly status: number | null;
  readonly contentType: string;
  readonly received: string;
}

/** A failed operation with what was sent and received, masked. */
export interface FailedExchange {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly supplier: string;
  readonly operation: string;
  /** A kind of failure (suppliers/failure-kind.ts). */
  readonly cause: string;
  readonly requestId: string;
  readonly why: string;
  readonly durationMs: number;
  /** In the order in which they were sent; empty = nothing was sent. */
  readonly exchanges: readonly MaskedExchange[];
}

const MOST_WAITING = 200;
/** When a supplier fails, its failures look alike: one of each kind every few seconds is enough. */
const EVERY_MS = 3_000;

/**
 * Failed operations that wait to be written: at most one per supplier, operation and kind every three seconds, and 200 at
 * a time, so that a failing supplier costs next to nothing.
 */
export class FailedExchangeQueue {
  readonly #lastAt = new Map<string, number>();
  #waiting: FailedExchange[] = [];

  /** `now` is a monotonic clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether a failure should be kept. If so, it counts, so put it. */
  wants(supplier: string, operation: string, cause: string): boolean {
    if (this.#waiting.length >= MOST_WAITING) return false;
    const key = `${supplier}|${operation}|${cause}`;
    if (this.now() - (this.#lastAt.get(key) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return false;
    this.#lastAt.set(key, this.now());
    return true;
  }

  put(exchange: FailedExchange): void {
    this.#waiting.push(exchange);
  }

  /** Removes and returns all, oldest first. */
  take(): readonly FailedExchange[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}

/** Those of this process. */
export const failedExchanges = new FailedExchangeQueue();
