import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { CallRejectedError } from '../resilience/call-rejected.js';

const BUCKETS = 48;
const HOUR_MS = 3_600_000;
/** From this share of the allowed searches on, answers from memory are used for longer. */
const NEAR = 0.8;
/** How many times as long at most. */
const MOST_STRETCH = 4;

/** How close a supplier's searches are to what was agreed. */
export type LookToBookState = 'normal' | 'near' | 'reached';

/** What the rule needs to know about a supplier. */
export type AgreedRatio = NonNullable<SupplierConfig['lookToBook']>;

/** Is notified of what the rule does. */
export interface LookToBookWatch {
  moved(state: LookToBookState): void;
  refused(): void;
}

interface Bucket {
  readonly number: number;
  searches: number;
  bookings: number;
}

/**
 * Counts one supplier's searches and bookings of the last hours and limits the searches to the agreed ratio (docs/caching.md#look-to-book):
 * as many as `ratio` per booking, and `ratio` without any. From 80 % of them on, answers from memory are used for longer, up to four times
 * as long at 100 %. Then searches are refused until there is a booking or older searches leave the window.
 */
export class LookToBook {
  readonly #buckets: Bucket[] = [];
  #searches = 0;
  #bookings = 0;
  #state: LookToBookState = 'normal';

  /** `now` is a monotonic clock in milliseconds. */
  constructor(
    readonly agreed: AgreedRatio,
    private readonly watch: LookToBookWatch,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Searches as a share of those allowed; 1 = reached. */
  get used(): number {
    this.#forget();
    return this.#searches / (this.agreed.ratio * Math.max(1, this.#bookings));
  }

  /** How many times as long answers from memory may be used: 1 to 4. */
  get stretch(): number {
    return 1 + (MOST_STRETCH - 1) * Math.min(1, Math.max(0, (this.used - NEAR) / (1 - NEAR)));
  }

  /** Counts a search that is about to be sent. Throws CallRejectedError `throttled` if no more are allowed. */
  searching(): void {
    this.#judge();
    if (this.#state === 'reached') {
      this.watch.refused();
      throw new CallRejectedError('throttled', 'the agreed ratio of searches to bookings is reached');
    }
    this.#current().searches += 1;
    this.#searches += 1;
    this.#judge();
  }

  /** Counts a booking that the supplier made. */
  booked(): void {
    this.#current().bookings += 1;
    this.#bookings += 1;
    this.#judge();
  }

  #judge(): void {
    const { used } = this;
    const state = used >= 1 ? 'reached' : used >= NEAR ? 'near' : 'normal';
    if (state === this.#state) return;
    this.#state = state;
    this.watch.moved(state);
  }

  get #bucketMs(): number {
    return (this.agreed.windowHours * HOUR_MS) / BUCKETS;
  }

  #current(): Bucket {
    this.#forget();
    const number = Math.floor(this.now() / this.#bucketMs);
    const last = this.#buckets.at(-1);
    if (last?.number === number) return last;
    const bucket = { number, searches: 0, bookings: 0 };
    this.#buckets.push(bucket);
    return bucket;
  }

  #forget(): void {
    const first = Math.floor(this.now() / this.#bucketMs) - BUCKETS;
    for (let oldest = this.#buckets[0]; oldest && oldest.number <= first; oldest = this.#buckets[0]) {
      this.#buckets.shift();
      this.#searches -= oldest.searches;
      this.#bookings -= oldest.bookings;
    }
  }
}
