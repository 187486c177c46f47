import { Inject, Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { LimitDecision } from '../store/gcra.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * @nestjs/throttler's storage over the store's atomic GCRA: `limit` calls at once, refilled over `ttl` milliseconds. Times in the record are
 * seconds. `decision` carries the exact result for the headers.
 */
@Injectable()
export class GcraThrottlerStorage implements ThrottlerStorage {
  constructor(@Inject(STORE) private readonly store: Store) {}

  async increment(key: string, ttl: number, limit: number): Promise<ThrottlerStorageRecord & { decision: LimitDecision }> {
    const decision = await this.store.take(key, { perMinute: (limit * 60_000) / ttl, burst: limit }, 1);
    return {
      decision,
      totalHits: decision.allowed ? limit - decision.remaining : limit + 1,
      timeToExpire: decision.resetSeconds,
      isBlocked: !decision.allowed,
      timeToBlockExpire: decision.retryAfterSeconds,
    };
  }
}
