/** Debts beyond what comes in within so long are forgotten: whoever changes reservations without pause must not shut out everybody for hours. */
const DEBT_SECONDS = 10;

/** So many calls a second, evenly: `burst` may go at once after a quiet time. `now` in milliseconds of a clock that never goes back. */
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

  /** Takes the token of one call; false = there is none. */
  take(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes the token of a call that is made whatever is left; what follows waits for it, ten seconds at most. */
  overdraw(): void {
    this.#fill();
    this.#tokens = Math.max(this.#tokens - 1, -DEBT_SECONDS * this.perSecond);
  }

  /** Milliseconds until there is a token for the caller who comes after `ahead` others; 0 = now. */
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
