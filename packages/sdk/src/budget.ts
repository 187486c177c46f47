import { BudgetError } from './errors.js';

/** The time of one call: it ends after the budget, or with the caller's signal. */
export class Budget {
  /** Aborted when the call must end. */
  readonly signal: AbortSignal;
  private readonly until: number;
  private readonly timer: ReturnType<typeof setTimeout>;
  private readonly caller: AbortSignal | undefined;

  constructor(milliseconds: number, caller: AbortSignal | undefined) {
    const controller = new AbortController();
    this.signal = caller ? AbortSignal.any([controller.signal, caller]) : controller.signal;
    this.caller = caller;
    this.until = Date.now() + milliseconds;
    this.timer = setTimeout(() => controller.abort(), milliseconds);
  }

  /** Milliseconds that remain; 0 after the end. */
  get left(): number {
    return Math.max(0, this.until - Date.now());
  }

  /** Throws the caller's reason, or BudgetError with `cause`, once the call must end. */
  check(cause?: unknown): void {
    this.caller?.throwIfAborted();
    if (this.signal.aborted || this.left === 0) throw new BudgetError('The time budget passed.', { cause });
  }

  /** Waits, or throws as `check` as soon as the call must end. */
  async wait(milliseconds: number, cause: unknown): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await this.race(
        new Promise((resolve) => {
          timer = setTimeout(resolve, milliseconds);
        }),
        cause,
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /** The result of work that goes on for others when this call ends; throws as `check` as soon as this one must end. */
  async race<T>(work: Promise<T>, cause?: unknown): Promise<T> {
    let stop = (): void => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(this.signal.reason);
      if (this.signal.aborted) stop();
      this.signal.addEventListener('abort', stop);
    });
    try {
      return await Promise.race([work, stopped]);
    } catch (error) {
      this.check(cause ?? error);
      throw error;
    } finally {
      this.signal.removeEventListener('abort', stop);
    }
  }

  /** Must be called when the call is done: it stops the timer. */
  end(): void {
    clearTimeout(this.timer);
  }
}
