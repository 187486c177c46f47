/** Number of calls whose share can be saved up, so that a quiet hour doesn't pay for a burst of retries. */
const MAX_SAVED_CALLS = 50;
/** Number of calls whose share a new budget starts with. */
const INITIAL_CALLS = 5;

/** Limits retries to a `share` of the calls made, so that they never multiply the load on a failing supplier. */
export class RetryBudget {
  #balance: number;

  constructor(private readonly share: number) {
    this.#balance = INITIAL_CALLS * share;
  }

  /** Adds the share of one first attempt. */
  deposit(): void {
    this.#balance = Math.min(MAX_SAVED_CALLS * this.share, this.#balance + this.share);
  }

  /** Takes one retry from the budget; false if it is exhausted. */
  withdraw(): boolean {
    // Sums of 0.2 can be slightly below an integer.
    if (this.#balance < 1 - 1e-9) return false;
    this.#balance -= 1;
    return true;
  }
}
