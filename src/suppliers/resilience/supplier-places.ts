import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { Bulkhead, type BulkheadEntry, type Priority, type Tokens } from './bulkhead.js';
import { TokenBucket } from './token-bucket.js';

/** What is kept of a quota for essential calls. */
const ESSENTIAL_SHARE = 0.25;
/** With fewer places, a single account could take them all. */
const LEAST_PLACES = 2;

/**
 * One HTTP call that wants to be sent. `essential` calls are those for an existing reservation, and the remaining calls of a
 * booking that has already started.
 */
export interface PlacedCall extends Omit<BulkheadEntry, 'priority' | 'maxWaitMs'> {
  readonly priority: Priority | 'essential';
  /** The longest wait for a place, not counting a pause; essential calls wait until `latestStartMs` instead. */
  readonly maxWaitMs: number;
}

type Settings = Pick<SupplierConfig, 'connections' | 'quota'> & {
  readonly bulkhead: SupplierConfig['resilience']['bulkhead'];
};

/**
 * The places and the quota of one supplier. Essential calls have places of their own, which accounts share like the others: no
 * queue is too long for them and no pause holds them back, but one account's changes take nothing from other accounts.
 * They get what other calls leave of a quota, and a quarter of it in any case.
 */
export class SupplierPlaces {
  readonly #held: Bulkhead;
  readonly #essential: Bulkhead;

  /** `now` is a monotonic clock in milliseconds; `queued` is called with the number of waiting calls after each change. */
  constructor(
    { connections, quota, bulkhead }: Settings,
    private readonly now: () => number,
    queued: (length: number) => void,
  ) {
    const { concurrent, perSecond, burst = Math.ceil((perSecond ?? 0) / 10) } = quota;
    const most = Math.min(connections, concurrent ?? connections);
    const mostEssential = concurrent === undefined ? most : Math.max(LEAST_PLACES, Math.ceil(most * ESSENTIAL_SHARE));
    const tokens = perSecond === undefined ? undefined : new TokenBucket(perSecond, burst, now);
    const hasQuota = concurrent !== undefined || perSecond !== undefined;
    const { searchShare, accountShare, queue } = bulkhead;
    const changed = (): void => queued(this.#held.waiting + this.#essential.waiting);
    this.#held = new Bulkhead(
      {
        places: () => (concurrent === undefined ? most : Math.max(1, most - this.#essential.inFlight)),
        ...{ tokens, hasQuota, queue, searchShare, accountShare },
      },
      now,
      changed,
    );
    this.#essential = new Bulkhead(
      {
        places: () => mostEssential,
        tokens: tokens && perSecond ? this.#essentialTokens(tokens, perSecond, burst) : undefined,
        ...{ hasQuota, queue: Number.POSITIVE_INFINITY, searchShare: 1, accountShare },
      },
      now,
      changed,
    );
  }

  /** Runs `work` when it is the call's turn. Otherwise rejects with CallRejectedError, `throttled` or `unavailable`. */
  async pass<T>(call: PlacedCall, work: () => Promise<T>): Promise<T> {
    const { priority } = call;
    if (priority !== 'essential') return this.#held.pass({ ...call, priority }, work);
    try {
      const maxWaitMs = Math.max(0, call.latestStartMs - this.now());
      return await this.#essential.pass({ ...call, priority: 'booking', maxWaitMs }, work);
    } finally {
      // It may have had a place of the quota that others wait for.
      if (this.#held.waiting > 0) this.#held.admitWaiting();
    }
  }

  /** Admits only essential calls for `ms`, because the supplier requested it (see Bulkhead). */
  pause(ms: number): void {
    this.#held.pause(ms);
  }

  /** Every token counts toward the quota; those that other calls wait for are limited to a share. */
  #essentialTokens(all: TokenBucket, perSecond: number, burst: number): Tokens {
    const own = new TokenBucket(perSecond * ESSENTIAL_SHARE, Math.max(1, burst * ESSENTIAL_SHARE), this.now);
    const isFree = (): boolean => this.#held.waiting === 0;
    return {
      take: () => {
        if (isFree() && all.take()) return true;
        if (!own.take()) return false;
        all.overdraw();
        return true;
      },
      waitMs: (ahead) => Math.min(own.waitMs(ahead), isFree() ? all.waitMs(ahead) : Number.POSITIVE_INFINITY),
    };
  }
}
