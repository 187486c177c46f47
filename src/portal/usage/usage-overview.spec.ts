import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { ProductsService } from '../../products/products.service.js';
import type { UsageReader } from '../../records/usage-reader.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { PERIODS } from './periods.js';
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
    limitedCalls: async (...args: unknown[]) => {
      reads.push(args);
      return new Map([['app_a', 7]]);
    },
  } as unknown as UsageReader;
  const products = { limitsOf: () => ({ application: { perDay } }) } as unknown as ProductsService;
  return { overviews: new UsageOverviews(usage, products, new HeavyViews()), reads };
}

beforeEach(() => {
  jest.useFakeTimers({ now: NOW });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the data of the usage page', () => {
  it.each([
    ['hour', '2027-05-01T09:07:00.000Z'],
    ['day', '2027-04-30T10:00:00.000Z'],
    ['week', '2027-04-24T10:00:00.000Z'],
  ] as const)('the period "%s" begins with a complete step', async (period, from) => {
    const { overviews, reads } = setup(undefined);
    const { choice } = await overviews.of('acc_a', own, undefined, period);
    expect([new Date(choice.from).toISOString(), choice.now]).toEqual([from, NOW]);
    expect((choice.from / 1_000) % PERIODS[period].stepSeconds).toBe(0);
    expect(reads[0]).toEqual([['app_a', 'app_b'], choice.from, PERIODS[period].stepSeconds]);
  });

  it('quotas count from midnight UTC, and are those of the chosen application', async () => {
    const { overviews, reads } = setup(1_000);
    const { quotas, choice } = await overviews.of('acc_a', own, 'app_a', 'hour');
    expect(quotas).toEqual([{ name: 'app_a', used: 7, perDay: 1_000 }]);
    expect(choice.application).toBe('app_a');
    expect(reads[1]).toEqual([['app_a'], Date.parse('2027-05-01T00:00:00Z')]);
  });

  it('concurrent views share one read, which is shown for five seconds', async () => {
    const { overviews, reads } = setup(undefined);
    const open = () => overviews.of('acc_a', own, undefined, 'day');
    await Promise.all([open(), open(), open()]);
    await overviews.of('acc_a', own, 'app_a', 'day');
    expect(reads).toHaveLength(4);
    jest.setSystemTime(NOW + 5_000);
    await open();
    expect(reads).toHaveLength(6);
  });

  it('an application of another account is not read', async () => {
    const { overviews, reads } = setup(undefined);
    const { quotas, choice } = await overviews.of('acc_a', own, 'app_stolen', 'hour');
    expect(quotas.map(({ name, used }) => `${name} ${used}`)).toEqual(['app_a 7', 'app_b 0']);
    expect([choice.application, reads[0]?.[0]]).toEqual([undefined, ['app_a', 'app_b']]);
  });
});
