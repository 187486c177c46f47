/** How often the delay of the event loop is sampled while calls are running. */
const SAMPLE_MS = 20;
/** Timers are this late on an idle machine. */
const TOLERATED_MS = 2;
/** The loop lags if due work was delayed for more than this share of the last period. */
const LAGGING_SHARE = 0.1;
const PERIOD_MS = 1_000;

/**
 * Sums up by how long this process's event loop delays work that is due. A call that took long because of that shows
 * nothing about its supplier. It samples only while calls run, so that an idle gateway does nothing.
 */
export class LoopLag {
  #totalMs = 0;
  #samples = 0;
  #calls = 0;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  #periodEndsMs = 0;
  #totalBefore = 0;
  #wasLagging = false;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** A call begins. Returns a function to be called once when it ends, which returns how long the loop lagged meanwhile. */
  watch(): () => number {
    this.#calls += 1;
    if (this.#calls === 1) this.#start();
    const before = this.#total();
    return () => {
      const lagMs = this.#total() - before;
      this.#calls -= 1;
      if (this.#calls === 0) clearInterval(this.#timer);
      return lagMs;
    };
  }

  /** Whether the loop delayed much of the work of about the last second. */
  get isLagging(): boolean {
    const now = this.now();
    const elapsedMs = PERIOD_MS - (this.#periodEndsMs - now);
    return this.#wasLagging || this.#total() - this.#totalBefore > Math.max(elapsedMs, PERIOD_MS / 4) * LAGGING_SHARE;
  }

  /** How late all samples so far were, in milliseconds, and how many there were. Grows only while calls are watched. */
  get counted(): { readonly totalMs: number; readonly samples: number } {
    const totalMs = this.#total();
    return { totalMs, samples: this.#samples + (totalMs > this.#totalMs ? 1 : 0) };
  }

  #start(): void {
    const now = this.now();
    this.#dueMs = now + SAMPLE_MS;
    if (now > this.#periodEndsMs + PERIOD_MS) this.#beginPeriod(now);
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS).unref();
  }

  #sample(): void {
    this.#totalMs = this.#total();
    this.#samples += 1;
    const now = this.now();
    this.#dueMs = now + SAMPLE_MS;
    if (now >= this.#periodEndsMs) this.#beginPeriod(now);
  }

  #beginPeriod(now: number): void {
    this.#wasLagging =
      this.#totalMs - this.#totalBefore > (PERIOD_MS + Math.max(0, now - this.#periodEndsMs)) * LAGGING_SHARE;
    this.#totalBefore = this.#totalMs;
    this.#periodEndsMs = now + PERIOD_MS;
  }

  /** Including a sample that is overdue: the answer to a call may be handled before it. */
  #total(): number {
    const lateMs = this.#calls === 0 ? 0 : this.now() - this.#dueMs;
    return this.#totalMs + (lateMs > TOLERATED_MS ? lateMs : 0);
  }
}

/** The lag of this process. */
export const loopLag = new LoopLag();
