import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { CallRejectedError } from '../resilience/call-rejected.js';

const BUCKETS = 48;
const HOUR_MS = 3_600_000;
/** From this share of the allowed searches on, answers from memory are used for longer, and the rest is for accounts below their share. */
const NEAR = 0.8;
/** How many times as long at most. */
const MOST_STRETCH = 4;
/** Accounts that are counted each by itself; further ones are counted together. */
const MOST_ACCOUNTS = 1_024;
const FURTHER = '';

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
  /** Searches by account. */
  readonly searches: Map<string, number>;
  bookings: number;
}

/**
 * Counts one supplier's searches and bookings of the last hours and limits the searches to the agreed ratio (docs/caching.md#look-to-book):
 * as many as `ratio` per booking, and `ratio` without any. From 80 % of them on, answers from memory are used for longer, up to four times
 * as long at 100 %, and the searches of an account are refused that has used its equal share: the allowed searches divided by the accounts
 * that searched, at least two. At 100 %, all searches are refused until there is a booking or older searches leave the window. Accounts
 * beyond 1,024 have one share together.
 */
export class LookToBook {
  readonly #buckets: Bucket[] = [];
  #searches = 0;
  /** Searches of all buckets by account; none has 0. */
  readonly #byAccount = new Map<string, number>();
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
    return this.#searches / this.#allowed;
  }

  /** How many times as long answers from memory may be used: 1 to 4. */
  get stretch(): number {
    return 1 + (MOST_STRETCH - 1) * Math.min(1, Math.max(0, (this.used - NEAR) / (1 - NEAR)));
  }

  /** Counts a search that is about to be sent for an account. Throws CallRejectedError `throttled` if it isn't allowed. */
  searching(accountId: string): void {
    this.#judge();
    const isCounted = this.#byAccount.has(accountId) || this.#byAccount.size < MOST_ACCOUNTS;
    const account = isCounted ? accountId : FURTHER;
    if (this.#state === 'reached' || (this.#state === 'near' && this.#hasUsedShare(account))) {
      this.watch.refused();
      throw new CallRejectedError('throttled', 'the agreed ratio of searches to bookings is reached');
    }
    add(this.#current().searches, account, 1);
    add(this.#byAccount, account, 1);
    this.#searches += 1;
    this.#judge();
  }

  /** Counts a booking that the supplier made. */
  booked(): void {
    this.#current().bookings += 1;
    this.#bookings += 1;
    this.#judge();
  }

  get #allowed(): number {
    return this.agreed.ratio * Math.max(1, this.#bookings);
  }

  /** Two shares at least, so that something is left for an account that has not searched yet. */
  #hasUsedShare(account: string): boolean {
    return (this.#byAccount.get(account) ?? 0) >= this.#allowed / Math.max(2, this.#byAccount.size);
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
    const bucket = { number, searches: new Map<string, number>(), bookings: 0 };
    this.#buckets.push(bucket);
    return bucket;
  }

  #forget(): void {
    const first = Math.floor(this.now() / this.#bucketMs) - BUCKETS;
    for (let oldest = this.#buckets[0]; oldest && oldest.number <= first; oldest = this.#buckets[0]) {
      this.#buckets.shift();
      for (const [account, searches] of oldest.searches) {
        add(this.#byAccount, account, -searches);
        this.#searches -= searches;
      }
      this.#bookings -= oldest.bookings;
    }
  }
}

/** Adds to a count, which is removed when it becomes 0. */
function add(counts: Map<string, number>, account: string, searches: number): void {
  const sum = (counts.get(account) ?? 0) + searches;
  if (sum === 0) counts.delete(account);
  else counts.set(account, sum);
}
