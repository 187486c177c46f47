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

/**
 * Limits the new reservations of an account and their changes (docs/limits.md), because each is stored for years, with its
 * events for webhooks. The limits of calls alone would admit millions per day.
 */
@Injectable()
export class BookingQuota {
  constructor(@Inject(STORE) private readonly store: Store) {}

  /** Charges one new or changed reservation. Throws ApiError 429 if the account's tier admits no further one now. */
  async take({ policy: { accountId, limits } }: RequestContext): Promise<void> {
    if (!limits.bookings) return;
    const { perDay } = limits.bookings;
    await this.#take(`bookings ${accountId}`, limits.bookings, 'limit');
    // Taken second, so that what the first limit rejects doesn't use up the day.
    if (perDay === undefined) return;
    const day = { perMinute: perDay / MINUTES_PER_DAY, burst: perDay };
    await this.#take(`bookings of a day ${accountId}`, day, 'daily limit');
  }

  async #take(key: string, rate: LimitRate, name: string): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.store.take(key, rate, 1);
    if (!allowed)
      throw throttled(retryAfterSeconds, `The account's ${name} of new and changed reservations is exceeded.`);
  }
}

/** The 429 for an account with too many open reservations at the supplier with this name. */
export function tooManyOpen(reason: TooMany, supplier: string): ApiError {
  const [seconds, state, advice] = OPEN[reason];
  return throttled(seconds, `Too many reservations of the account at ${supplier} are ${state}.`, advice);
}
