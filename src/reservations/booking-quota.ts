import { Inject, Injectable } from '@nestjs/common';
import type { RequestContext } from '../context/request-context.js';
import type { ApiError } from '../status/api-error.js';
import { throttled } from '../status/throttled.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';

/** When a caller may try again whose reservations are unresolved: the reconciler needs seconds to minutes. */
const UNRESOLVED_WAIT_SECONDS = 30;

/**
 * Limits the new reservations of an account (docs/limits.md), because each is stored for years and checked again. The limits
 * of calls alone would admit millions per day.
 */
@Injectable()
export class BookingQuota {
  constructor(@Inject(STORE) private readonly store: Store) {}

  /** Charges one new reservation. Throws ApiError 429 if the account's tier admits no further one now. */
  async take({ policy: { accountId, limits } }: RequestContext): Promise<void> {
    if (!limits.bookings) return;
    const { allowed, retryAfterSeconds } = await this.store.take(`bookings ${accountId}`, limits.bookings, 1);
    if (!allowed) throw throttled(retryAfterSeconds, 'The limit of new reservations of the account is exceeded.');
  }
}

/** The 429 for an account with too many unresolved reservations at the supplier with this name. */
export function tooManyUnresolved(supplier: string): ApiError {
  return throttled(
    UNRESOLVED_WAIT_SECONDS,
    `Too many reservations of the account at ${supplier} are unresolved.`,
    'Wait until their states are known.',
  );
}
