/** A part that hasn't answered for so long is down, whatever it said before. */
const SILENT_MS = 500;
/** Answers are valid for so long, so that many callers cost the part nothing. */
const FRESH_MS = 100;

/** `up`, or the fault of a part; one that does not answer is `down`. */
export type PartState<Fault extends string> = 'up' | 'down' | Exclude<Fault, 'unavailable'>;

/** Knows the state of something that the gateway needs, from questions that don't hold up the callers that want to know. */
export class PartWatch<Fault extends string> {
  #state: PartState<Fault> = 'up';
  #answeredMs = Number.NEGATIVE_INFINITY;
  /** When the question was asked that was answered last. */
  #answerAskedMs = Number.NEGATIVE_INFINITY;
  #asked: { readonly atMs: number; readonly answered: Promise<void> } | undefined;

  /**
   * `ask` resolves if the part works; `faultOf` names the fault of a rejection. `now` is a monotonic clock in milliseconds.
   * `failedMs` is when the part last failed someone else, by the same clock; -Infinity = never.
   */
  constructor(
    private readonly ask: () => Promise<void>,
    private readonly faultOf: (error: unknown) => Fault | undefined,
    private readonly now: () => number = () => performance.now(),
    private readonly failedMs: () => number = () => Number.NEGATIVE_INFINITY,
  ) {}

  /**
   * The result of the last answer; `down` if the part hasn't answered for half a second, or has failed since that answer
   * was asked for.
   */
  get state(): PartState<Fault> {
    const isSilent = this.#asked && this.now() - this.#asked.atMs > SILENT_MS;
    return isSilent || (this.#state === 'up' && this.#hasFailed) ? 'down' : this.#state;
  }

  /** How long ago the part answered last; 0 if it never did, or if a question is unanswered. */
  get answeredAgoMs(): number {
    return this.#asked || this.#answeredMs === Number.NEGATIVE_INFINITY ? 0 : this.now() - this.#answeredMs;
  }

  get #hasFailed(): boolean {
    return this.failedMs() > this.#answerAskedMs;
  }

  /**
   * Asks, unless a question is unanswered or was just answered. Resolves with the answer, whatever it is; never rejects.
   */
  async refresh(): Promise<void> {
    if (!this.#asked && this.now() - this.#answeredMs < FRESH_MS && !this.#hasFailed) return;
    const atMs = this.now();
    this.#asked ??= { atMs, answered: this.#question(atMs) };
    await this.#asked.answered;
  }

  async #question(askedMs: number): Promise<void> {
    try {
      await Promise.resolve().then(this.ask);
      this.#state = 'up';
    } catch (error) {
      this.#state = partState(this.faultOf(error));
    }
    this.#asked = undefined;
    this.#answerAskedMs = askedMs;
    this.#answeredMs = this.now();
  }
}

/** The state of a part with this fault; undefined is a fault that isn't known. */
export function partState<Fault extends string>(fault: Fault | undefined): PartState<Fault> {
  return fault === undefined || fault === 'unavailable' ? 'down' : (fault as PartState<Fault>);
}
