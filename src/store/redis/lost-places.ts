import type { CallPlace } from '../store.js';

/** Places that are remembered. Beyond, the lease must free them. */
const MOST = 10_000;
const RETRY_MS = 1_000;
/** A command that timed out may still be in Redis' queue. A place that is freed before it is taken stays taken. */
const SETTLE_MS = 2_000;

/**
 * Places of concurrent calls that are perhaps still taken in Redis because a command got no reply. They are freed until that
 * succeeds, so that an application isn't refused for the length of a lease after Redis stalled or restarted.
 */
export class LostPlaces {
  /** Place → when its command failed (performance.now). */
  readonly #places = new Map<CallPlace, number>();
  #timer: NodeJS.Timeout | undefined;

  /** `release` frees a place, and rejects if Redis doesn't answer. */
  constructor(
    private readonly release: (place: CallPlace) => Promise<void>,
    private readonly leaseMs: number,
  ) {}

  /** Remembers a place whose command failed. */
  add(place: CallPlace): void {
    if (this.#places.size >= MOST) return;
    this.#places.set(place, performance.now());
    this.#timer ??= setTimeout(() => void this.#free(), RETRY_MS).unref();
  }

  /** Stops freeing. */
  close(): void {
    clearTimeout(this.#timer);
    this.#places.clear();
  }

  async #free(): Promise<void> {
    const now = performance.now();
    for (const [place, failedMs] of this.#places) if (now - failedMs > this.leaseMs) this.#places.delete(place);
    const due = [...this.#places].filter(([, failedMs]) => now - failedMs >= SETTLE_MS);
    await Promise.all(
      due.map(async ([place]) => {
        try {
          await this.release(place);
          this.#places.delete(place);
        } catch {
          // The next round tries again.
        }
      }),
    );
    this.#timer = this.#places.size > 0 ? setTimeout(() => void this.#free(), RETRY_MS).unref() : undefined;
  }
}
