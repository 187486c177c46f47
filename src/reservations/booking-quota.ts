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

  /** Throws like `take` if the day is used up. Charges nothing: attempts that store nothing don't use it up. */
  async checkDay({ policy: { accountId, limits } }: RequestContext): Promise<void> {
    const day = dayOf(limits);
    if (day && (await this.store.take(DAY, day, 0, accountId)).remaining < 1)
      await this.#take(DAY, accountId, day, 'daily limit');
  }

  /** Charges the day with one reservation or change that was stored, in the background; one that no longer fits is free. */
  chargeDay({ policy: { accountId, limits } }: RequestContext): void {
    const day = dayOf(limits);
    if (day) this.store.take(DAY, day, 1, accountId).catch(() => undefined);
  }

  async #take(key: string, accountId: string, rate: LimitRate, name: string): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.store.take(key, rate, 1, accountId);
    if (!allowed)
      throw throttled(retryAfterSeconds, `The account's ${name} of new and changed reservations is exceeded.`);
  }
}

/** The tier's reservations per day as a rate; undefined = no limit. */
function dayOf({ bookings }: RequestContext['policy']['limits']): LimitRate | undefined {
  const perDay = bookings?.perDay;
  return perDay === undefined ? undefined : { perMinute: perDay / MINUTES_PER_DAY, burst: perDay };
}

/** The 429 for an account with too many open reservations at the supplier with this name. */
export function tooManyOpen(reason: TooMany, supplier: string): ApiError {
  const [seconds, state, advice] = OPEN[reason];
  return throttled(seconds, `Too many reservations of the account at ${supplier} are ${state}.`, advice);
}
