/** Calls that the largest saved-up budget stands for: a quiet hour must not pay for a storm. */
const CALLS_REMEMBERED = 50;
/** Calls that a fresh budget stands for. */
const CALLS_GIVEN = 5;

/** How many calls may be repeated: `share` of those made before, so that repeating can never multiply the load on a supplier in trouble. */
export class RetryBudget {
  #balance: number;

  constructor(private readonly share: number) {
    this.#balance = CALLS_GIVEN * share;
  }

  /** A call is made for the first time. */
  deposit(): void {
    this.#balance = Math.min(CALLS_REMEMBERED * this.share, this.#balance + this.share);
  }

  /** Takes one repetition; false = the budget is used up. */
  withdraw(): boolean {
    // Sums of 0.2 come out a hair below a whole number.
    if (this.#balance < 1 - 1e-9) return false;
    this.#balance -= 1;
    return true;
  }
}
