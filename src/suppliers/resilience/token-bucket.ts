/**
 * Limits calls per second; after a quiet time, `burst` calls may go in one burst. `now` is a monotonic clock in
 * milliseconds.
 */
export class TokenBucket {
  #tokens: number;
  #filledAtMs: number;

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    private readonly now: () => number,
  ) {
    this.#tokens = burst;
    this.#filledAtMs = now();
  }

  /** Takes a token for one call; false if none is left. */
  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a token for a call that is made even if none is left. Later calls wait for the debt, which the caller limits. */
  overdraw(): void {
    this.#fill();
    this.#tokens -= 1;
  }

  /** Milliseconds until a token is available to a caller with `ahead` others before it. */
  waitMs(ahead = 0): number {
    this.#fill();
    return Math.max(0, ((ahead + 1 - this.#tokens) / this.perSecond) * 1000);
  }

  #fill(): void {
    const nowMs = this.now();
    this.#tokens = Math.min(this.burst, this.#tokens + ((nowMs - this.#filledAtMs) / 1000) * this.perSecond);
    this.#filledAtMs = nowMs;
  }
}
