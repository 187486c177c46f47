import { describe, expect, it } from '@jest/globals';
import { contextOfApplication } from '../context/fixtures/context.js';
import type { RequestContext } from '../context/request-context.js';
import type { BookingLimit } from '../store/limits.js';
import { MemoryStore } from '../store/memory/memory-store.js';
import { BookingQuota } from './booking-quota.js';

const application = { perMinute: 6_000, burst: 100 };

/** How many of ten new reservations an application may make, and the error of the first one that it may not. */
async function tenOf(quota: BookingQuota, applicationId: string, accountId: string, bookings?: BookingLimit) {
  const limits = { application, ...(bookings && { bookings }) };
  const context = contextOfApplication(applicationId, 0, { accountId, limits });
  const refused: unknown[] = [];
  for (let one = 0; one < 10; one += 1) await make(quota, context).catch((error: unknown) => refused.push(error));
  return { made: 10 - refused.length, error: refused[0] };
}

/** What a booking does that is stored. */
async function make(quota: BookingQuota, context: RequestContext): Promise<void> {
  await quota.take(context);
  await quota.ofDay(
    context,
    async () => 'stored',
    (result) => result === 'stored',
  );
}

describe('the quota of new reservations', () => {
  it('is shared by the applications of an account, not by accounts', async () => {
    const quota = new BookingQuota(new MemoryStore(1_000));
    const bookings = { perMinute: 1, burst: 12 };
    expect((await tenOf(quota, 'app_1', 'acc_1', bookings)).made).toBe(10);
    const { made, error } = await tenOf(quota, 'app_2', 'acc_1', bookings);
    expect([made, error]).toMatchObject([
      2,
      { status: 429, headers: { 'retry-after': '60' }, problems: [{ reason: 'throttled' }] },
    ]);
    expect((await tenOf(quota, 'app_3', 'acc_2', bookings)).made).toBe(10);
  });

  it('admits a day of them in one burst, then one each time another fits into the day, and none is lost to the rate', async () => {
    let now = 0;
    const quota = new BookingQuota(new MemoryStore(1_000, () => now));
    const bookings = { perMinute: 60, burst: 8, perDay: 24 };
    const ten = () => tenOf(quota, 'app_1', 'acc_1', bookings);
    const made = [];
    for (const seconds of [0, 60, 60, 60]) {
      now += seconds * 1_000;
      made.push((await ten()).made);
    }
    expect(made).toEqual([8, 8, 8, 0]);
    now += 60_000;
    expect((await ten()).error).toMatchObject({
      headers: { 'retry-after': '3360' },
      problems: [{ reason: 'throttled', details: expect.stringContaining('daily limit') }],
    });
    now += 3_360_000;
    expect((await ten()).made).toBe(1);
  });

  it('of a day is not used up by attempts that store nothing', async () => {
    const quota = new BookingQuota(new MemoryStore(1_000));
    const limits = { application, bookings: { perMinute: 60, burst: 60, perDay: 1 } };
    const context = contextOfApplication('app_1', 0, { accountId: 'acc_1', limits });
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await quota.take(context);
      await quota.ofDay(
        context,
        async () => 'too_many',
        (result) => result === 'stored',
      );
      const failing = quota.ofDay(
        context,
        () => Promise.reject(new Error('gone')),
        () => true,
      );
      await expect(failing).rejects.toThrow('gone');
    }
    const made = await Promise.allSettled([make(quota, context), make(quota, context), make(quota, context)]);
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('exists only if the tier has one', async () => {
    expect((await tenOf(new BookingQuota(new MemoryStore(1_000)), 'app_1', 'acc_1')).made).toBe(10);
  });
});
