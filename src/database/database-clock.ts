/** The largest accepted difference of two clocks: tokens and offers expire by the clock. */
export const MOST_SKEW_MS = 2_000;

/**
 * The database's clock, which is the same for all gateways (docs/decisions/0033). Between two readings it advances with
 * the process's monotonic clock, so that a step of the machine's own clock changes nothing.
 */
export class DatabaseClock {
  #databaseMs = Date.now();
  #readAtMs = performance.now();
  #ownAheadMs = 0;

  /**
   * Notes a reading: the database's time in epoch milliseconds, and when it was asked for on the clock of
   * performance.now. Any delay of the answer leaves this clock behind the database's, never ahead of it.
   */
  read(databaseMs: number, askedAtMs: number): void {
    const answeredAtMs = performance.now();
    const ownMs = Date.now();
    const tripMs = answeredAtMs - askedAtMs;
    this.#databaseMs = databaseMs;
    this.#readAtMs = answeredAtMs;
    // The reading was taken at some time of the trip.
    const least = ownMs - databaseMs - tripMs;
    const most = ownMs - databaseMs;
    this.#ownAheadMs = least > 0 ? least : Math.min(0, most);
  }

  /** Epoch milliseconds. The machine's own clock before the first reading. */
  now(): number {
    return Math.round(this.#databaseMs + performance.now() - this.#readAtMs);
  }

  /**
   * By how many milliseconds the machine's clock was at least ahead of the database's at the last reading; negative if
   * it was behind. 0 before the first reading.
   */
  get ownAheadMs(): number {
    return this.#ownAheadMs;
  }
}
