/** What one call showed about a supplier. `unknown`: it ended too early to show anything. */
export type Health = 'good' | 'slow' | 'failed' | 'unknown';

/** What the calls of one application show. */
export interface Totals {
  readonly calls: number;
  /** Distinct questions. */
  readonly questions: number;
  /** Questions that failed: one that failed in half of its calls counts as half. */
  readonly failed: number;
  /** Questions whose successful calls took too long to be useful, counted in the same way. */
  readonly slow: number;
}

interface Observed {
  readonly atMs: number;
  readonly question: number;
  readonly health: Health;
}

interface Question {
  calls: number;
  failed: number;
  slow: number;
}

/** Limits the memory per application; a busier one is judged by its latest calls. */
export const MAX_CALLS = 1_000;

/**
 * The calls of one application within the last `windowMs`, at most 1,000, weighed by question: however often an
 * application repeats a question, it counts once. `now` is a monotonic clock in milliseconds.
 */
export class Evidence {
  readonly #calls: Observed[] = [];
  readonly #questions = new Map<number, Question>();
  #failed = 0;
  #slow = 0;
  #unnamed = 0;

  constructor(
    private readonly windowMs: number,
    private readonly now: () => number,
  ) {}

  /** Without `question`, the call asked something that no other call did. */
  add(health: Exclude<Health, 'unknown'>, question?: number): void {
    const atMs = this.now();
    this.#forgetUntil(atMs - this.windowMs);
    if (this.#calls.length === MAX_CALLS) this.#forgetFirst();
    // Negative, so never a hash.
    if (question === undefined) this.#unnamed -= 1;
    const call = { atMs, question: question ?? this.#unnamed, health };
    this.#calls.push(call);
    this.#count(call, 1);
  }

  totals(): Totals {
    this.#forgetUntil(this.now() - this.windowMs);
    return {
      calls: this.#calls.length,
      questions: this.#questions.size,
      failed: this.#failed,
      slow: this.#slow,
    };
  }

  clear(): void {
    this.#calls.length = 0;
    this.#questions.clear();
    this.#failed = 0;
    this.#slow = 0;
  }

  #forgetUntil(endMs: number): void {
    for (let first = this.#calls[0]; first && first.atMs <= endMs; first = this.#calls[0]) this.#forgetFirst();
  }

  #forgetFirst(): void {
    const first = this.#calls.shift();
    if (first) this.#count(first, -1);
    // Otherwise rounding errors of the sums would add up over days.
    if (this.#calls.length === 0) this.clear();
  }

  #count({ question, health }: Observed, sign: 1 | -1): void {
    const tally = this.#questions.get(question) ?? { calls: 0, failed: 0, slow: 0 };
    const before = tally.calls === 0 ? 0 : 1 / tally.calls;
    this.#failed -= tally.failed * before;
    this.#slow -= tally.slow * before;
    tally.calls += sign;
    if (health === 'failed') tally.failed += sign;
    if (health === 'slow') tally.slow += sign;
    if (tally.calls === 0) {
      this.#questions.delete(question);
      return;
    }
    this.#failed += tally.failed / tally.calls;
    this.#slow += tally.slow / tally.calls;
    this.#questions.set(question, tally);
  }
}
