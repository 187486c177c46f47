import { Inject, Injectable } from '@nestjs/common';
import type { RequestContext } from '../context/request-context.js';
import type { ApiError } from '../status/api-error.js';
import { throttled } from '../status/throttled.js';
import type { LimitRate } from '../store/gcra.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import type { TooMany } from './reservation-insertion.js';

/**
 * When a caller with too many open reservations may try again, and what they wait for. The reconciler needs seconds to
 * minutes, a supplier that decides manually needs longer.
 */
const OPEN = {
  too_many_unresolved: [30, 'unresolved', 'Wait until their states are known.'],
  too_many_on_request: [300, 'on request', 'Wait for the supplier to decide, or cancel some.'],
} as const;

const MINUTES_PER_DAY = 24 * 60;
/** The name of the limit per day. */
const DAY = 'bookings-of-a-day';

/**
 * Limits the new reservations of an account and their changes (docs/limits.md), because each is stored for years, with its
 * events for webhooks. The limits of calls alone would admit millions per day.
 */
@Injectable()
export class BookingQuota {
  constructor(@Inject(STORE) private readonly store: Store) {}

  /** Charges one attempt to make or change a reservation. Throws ApiError 429 if the account's tier admits no further one now. */
  async take({ policy: { accountId, limits } }: RequestContext): Promise<void> {
    if (limits.bookings) await this.#take('bookings', accountId, limits.bookings, 'limit');
  }

  /**
   * Charges the day with one reservation or change, runs `store`, and gives it back unless that was `isStored`: attempts that
   * store nothing don't use up the day. Throws like `take`, and what `store` throws.
   */
  async ofDay<T>(
    { policy: { accountId, limits } }: RequestContext,
    store: () => Promise<T>,
    isStored: (result: T) => boolean,
  ): Promise<T> {
    const perDay = limits.bookings?.perDay;
    if (perDay === undefined) return store();
    const day = { perMinute: perDay / MINUTES_PER_DAY, burst: perDay };
    await this.#take(DAY, accountId, day, 'daily limit');
    let stored = false;
    try {
      const result = await store();
      stored = isStored(result);
      return result;
    } finally {
      // In the background. What can't be given back is refilled.
      if (!stored) this.store.take(DAY, day, -1, accountId).catch(() => undefined);
    }
  }

  async #take(key: string, accountId: string, rate: LimitRate, name: string): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.store.take(key, rate, 1, accountId);
    if (!allowed)
      throw throttled(retryAfterSeconds, `The account's ${name} of new and changed reservations is exceeded.`);
  }
}

/** The 429 for an account with too many open reservations at the supplier with this name. */
export function tooManyOpen(reason: TooMany, supplier: string): ApiError {
  const [seconds, state, advice] = OPEN[reason];
  return throttled(seconds, `Too many reservations of the account at ${supplier} are ${state}.`, advice);
}
