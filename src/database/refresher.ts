import type { Logger } from 'pino';

/**
 * Repeats a read of what operators set, so that every gateway follows their changes. While the database is unavailable,
 * what was read last stays in effect, and one warning is logged.
 */
export class Refresher {
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #isStopped = false;

  /** `name` is the subject of the warning, in the plural. */
  constructor(
    private readonly read: () => Promise<void>,
    private readonly everyMs: number,
    private readonly name: string,
    private readonly logger: Logger,
  ) {}

  /** Resolves after the first read, whether or not it succeeded. */
  async start(): Promise<void> {
    await this.#refresh();
    this.#schedule();
  }

  /** Call it before the database is closed. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** The interval starts when a read completes, so reads of a slow database never overlap. */
  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.start(), this.everyMs).unref();
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
