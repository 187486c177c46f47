import { Inject, Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { LimitRate, RateDecision } from '../store/gcra.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * Storage for @nestjs/throttler based on the store's atomic GCRA: a burst of `limit` calls, refilled over `ttl`
 * milliseconds. Times in the record are in seconds. `rate` and `decision` hold the exact limit and result for the
 * headers.
 */
@Injectable()
export class GcraThrottlerStorage implements ThrottlerStorage {
  constructor(@Inject(STORE) private readonly store: Store) {}

  async increment(
    key: string,
    ttl: number,
    limit: number,
  ): Promise<ThrottlerStorageRecord & { rate: LimitRate; decision: RateDecision }> {
    const rate = { perMinute: (limit * 60_000) / ttl, burst: limit };
    const decision = await this.store.take(key, rate, 1);
    return {
      rate,
      decision,
      totalHits: decision.allowed ? limit - decision.remaining : limit + 1,
      timeToExpire: decision.resetSeconds,
      isBlocked: !decision.allowed,
      timeToBlockExpire: decision.retryAfterSeconds,
    };
  }
}
