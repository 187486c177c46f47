import { networkOf } from '../http/client-network.js';

const WINDOW_MS = 60_000;
const MOST_CALLS = 20;
const MOST_NETWORKS = 10_000;

/** Limits calls without a valid signature, or of the description, to 20 per network and minute. In memory, of at most 10,000 networks. */
export class UnsignedCalls {
  /** Network → calls in its window and the window's end (milliseconds of a monotonic clock), oldest first. */
  readonly #calls = new Map<string, { readonly count: number; readonly endsAt: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Seconds that an address must wait; 0 = none. */
  waitSeconds(address: string): number {
    const known = this.#calls.get(networkOf(address));
    if (!known || known.count < MOST_CALLS) return 0;
    return Math.max(0, Math.ceil((known.endsAt - this.now()) / 1_000));
  }

  /** Counts a call. */
  add(address: string): void {
    const network = networkOf(address);
    const known = this.#calls.get(network);
    const isCurrent = known !== undefined && known.endsAt > this.now();
    this.#calls.delete(network);
    this.#calls.set(network, {
      count: isCurrent ? known.count + 1 : 1,
      endsAt: isCurrent ? known.endsAt : this.now() + WINDOW_MS,
    });
    if (this.#calls.size <= MOST_NETWORKS) return;
    for (const oldest of this.#calls.keys()) {
      this.#calls.delete(oldest);
      return;
    }
  }
}
