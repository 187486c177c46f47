import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OwnApplication } from '../../auth/own-applications.js';
import { Turns } from '../../config/turns.js';
import type { ProductsService } from '../../products/products.service.js';
import type { SupplierUsageReader } from '../../records/supplier-usage-reader.js';
import type { UsageReader } from '../../records/usage-reader.js';
import type { BookedReader } from '../../reservations/booked-reader.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { UsageOverviews } from './usage-overview.service.js';

const NOW = Date.parse('2027-05-01T10:07:31.250Z');
const own = ['app_a', 'app_b'].map((id) => ({ id, name: id, tier: 'free', accountTier: 'none' })) as OwnApplication[];

/** An overview service, and the arguments of its reads. */
function setup(perDay: number | undefined) {
  const reads: unknown[][] = [];
  const usage = {
    points: async (...args: unknown[]) => {
      reads.push(args);
      return [];
    },
    durations: async () => [],
    byApplication: async () => [],
    limitedCalls: async (...args: unknown[]) => {
      reads.push(args);
      return new Map([['app_a', 7]]);
    },
  } as unknown as UsageReader;
  const products = { limitsOf: () => ({ application: { perDay } }) } as unknown as ProductsService;
  const none = { read: async () => [] };
  const [suppliers, booked] = [none as unknown as SupplierUsageReader, none as unknown as BookedReader];
  return {
    overviews: new UsageOverviews(
      usage,
      suppliers,
      booked,
      products,
      new HeavyViews({ reports: { turns: new Turns() } }),
    ),
    reads,
  };
}

beforeEach(() => {
  jest.useFakeTimers({ now: NOW });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the data of the usage page', () => {
  it('covers the chosen period, in its steps', async () => {
    const { overviews, reads } = setup(undefined);
    const { choice } = await overviews.of('acc_a', own, undefined, { period: 'day' });
    expect(choice.range).toMatchObject({ name: 'day', from: Date.parse('2027-04-30T10:00:00Z'), to: NOW });
    expect(reads[0]).toEqual([['app_a', 'app_b'], choice.range.from, 900, NOW]);
  });

  it('quotas count from midnight UTC, and are those of the chosen application', async () => {
    const { overviews, reads } = setup(1_000);
    const { quotas, choice } = await overviews.of('acc_a', own, 'app_a', { period: 'hour' });
    expect([...quotas]).toEqual([['app_a', { used: 7, perDay: 1_000 }]]);
    expect(choice.application).toBe('app_a');
    expect(reads[1]).toEqual([['app_a'], Date.parse('2027-05-01T00:00:00Z')]);
  });

  it('concurrent views share one read, which is shown for five seconds', async () => {
    const { overviews, reads } = setup(undefined);
    const open = () => overviews.of('acc_a', own, undefined, { period: 'day' });
    await Promise.all([open(), open(), open()]);
    await overviews.of('acc_a', own, 'app_a', { period: 'day' });
    expect(reads).toHaveLength(4);
    jest.setSystemTime(NOW + 5_000);
    await open();
    expect(reads).toHaveLength(6);
  });

  it('an application of another account is not read', async () => {
    const { overviews, reads } = setup(undefined);
    const { quotas, choice } = await overviews.of('acc_a', own, 'app_stolen', { period: 'hour' });
    expect([...quotas].map(([id, { used }]) => `${id} ${used}`)).toEqual(['app_a 7', 'app_b 0']);
    expect([choice.application, reads[0]?.[0]]).toEqual([undefined, ['app_a', 'app_b']]);
  });
});
