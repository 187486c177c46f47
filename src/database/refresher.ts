import type { Logger } from 'pino';

/**
 * Repeats a read of what operators set, so that every gateway follows their changes. While the database is unavailable,
 * what was read last stays in effect, and one warning is logged.
 */
export class Refresher {
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #isStopped = false;
  #isReading = false;
  #isAskedAgain = false;

  /** `pauseMs` is asked after each read. `name` is the subject of the warning, in the plural. */
  constructor(
    private readonly read: () => Promise<void>,
    private readonly pauseMs: () => number,
    private readonly name: string,
    private readonly logger: Logger,
  ) {}

  /** Resolves after the first read, whether or not it succeeded. */
  async start(): Promise<void> {
    this.#isReading = true;
    await this.#refresh();
    this.#isReading = false;
    this.#schedule();
  }

  /** Reads now, or again if a read is in progress. */
  wake(): void {
    this.#isAskedAgain = this.#isReading;
    if (this.#isReading || this.#timer === undefined || this.#isStopped) return;
    clearTimeout(this.#timer);
    void this.start();
  }

  /** Call it before the database is closed. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** The interval starts when a read completes, so reads of a slow database never overlap. */
  #schedule(): void {
    if (this.#isStopped) return;
    const ms = this.#isAskedAgain ? 0 : this.pauseMs();
    this.#isAskedAgain = false;
    this.#timer = setTimeout(() => void this.start(), ms).unref();
  }

  async #refresh(): Promise<void> {
    try {
      await this.read();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing && !this.#isStopped)
        this.logger.warn({ err: error }, `${this.name} cannot be read; the last known ones stay in effect`);
      this.#isFailing = true;
    }
  }
}
