import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SupplierError } from '../../model/supplier.js';
import { type PlacedCall, SupplierPlaces } from './supplier-places.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** The places of a supplier and calls through them. `log` holds the accounts of the calls that began and, with why, of the rejected. */
function world(connections: number, quota: { perSecond?: number; burst?: number; concurrent?: number } = {}) {
  const log: string[] = [];
  const ending = new Map<string, (() => void)[]>();
  const places = new SupplierPlaces(
    { connections, quota, bulkhead: { queue: 1_000, waitShare: 0.25, searchShare: 1, accountShare: 0.75 } },
    () => performance.now(),
    () => undefined,
  );
  /** `takesMs`: how long the call takes; absent = until `end`. */
  const ask = (account: string, priority: PlacedCall['priority'], timeMs = 60_000, takesMs?: number) => {
    const work = async (): Promise<string> => {
      log.push(account);
      await new Promise<void>((resolve) => {
        if (takesMs === undefined) ending.set(account, [...(ending.get(account) ?? []), resolve]);
        else setTimeout(resolve, takesMs);
      });
      return 'answered';
    };
    const call = {
      ...{ account, priority, maxWaitMs: timeMs, latestStartMs: performance.now() + timeMs, handle: {} },
      held: () => undefined,
      refused: (why: string) => log.push(`${account} ${why}`),
    };
    return places.pass(call, work).catch((error: unknown) => {
      if (!(error instanceof SupplierError)) throw error;
      return `${error.fault}${error.sent ? ' sent' : ''}`;
    });
  };
  const askMany = (count: number, ...rest: Parameters<typeof ask>) => Array.from({ length: count }, () => ask(...rest));
  const settle = () => jest.advanceTimersByTimeAsync(0);
  const begun = (account: string): number => log.filter((line) => line === account).length;
  return { ask, askMany, log, begun, settle, end: (account: string) => ending.get(account)?.shift()?.() };
}

describe('changes of one account to its reservations', () => {
  it('take no places from searches, bookings and changes of other accounts', async () => {
    const { askMany, begun, settle } = world(8);
    askMany(100, 'greedy', 'essential');
    askMany(2, 'modest', 'essential');
    askMany(3, 'searches', 'search');
    askMany(3, 'books', 'booking');
    await settle();
    expect([begun('greedy'), begun('modest'), begun('searches'), begun('books')]).toEqual([6, 1, 3, 3]);
  });

  it('wait for each other, and a change of another account goes before those that wait', async () => {
    const { ask, askMany, log, end, settle } = world(2);
    askMany(5, 'greedy', 'essential');
    await settle();
    ask('modest', 'essential');
    await settle();
    ask('third', 'essential');
    await settle();
    expect(log).toEqual(['greedy', 'modest']);
    end('greedy');
    await settle();
    expect(log).toEqual(['greedy', 'modest', 'third']);
    end('modest');
    await settle();
    expect(log).toEqual(['greedy', 'modest', 'third', 'greedy']);
  });

  it('are rejected without being sent when it is too late to start them, never because too many wait', async () => {
    const { ask, askMany, log, settle } = world(2);
    const waiting = [...askMany(2_000, 'greedy', 'essential', 500), ask('greedy', 'essential', 700)].slice(1);
    await settle();
    expect(log).toEqual(['greedy']);
    await jest.advanceTimersByTimeAsync(501);
    expect(log.length).toBe(2_000);
    await jest.advanceTimersByTimeAsync(200);
    expect(new Set(log.slice(1))).toEqual(new Set(['greedy waited']));
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['unavailable']));
  });
});

describe('a quota', () => {
  it('per second keeps three quarters for other calls, however many changes there are, and is not exceeded', async () => {
    const { askMany, begun } = world(1_000, { perSecond: 20, burst: 4 });
    askMany(500, 'greedy', 'essential', 60_000, 10);
    askMany(500, 'modest', 'search', 60_000, 10);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(begun('modest')).toBeGreaterThanOrEqual(0.75 * 200 - 5);
    expect(begun('greedy')).toBeGreaterThanOrEqual(0.25 * 200 - 5);
    expect(begun('modest') + begun('greedy')).toBeLessThanOrEqual(200 + 4 + 1);
  });

  it('per second serves changes in turn between accounts, and with all of it if nothing else waits', async () => {
    const { askMany, begun } = world(1_000, { perSecond: 20, burst: 1 });
    askMany(500, 'greedy', 'essential', 60_000, 10);
    askMany(10, 'modest', 'essential', 60_000, 10);
    await jest.advanceTimersByTimeAsync(1_500);
    expect([begun('modest'), begun('greedy') > 12]).toEqual([10, true]);
  });

  it('of concurrent calls keeps places for other calls, which use those of changes when they are free', async () => {
    const { askMany, begun, end, settle } = world(64, { concurrent: 8 });
    askMany(50, 'greedy', 'essential');
    askMany(50, 'modest', 'essential');
    for (const account of ['a', 'b', 'c', 'd']) askMany(20, account, 'booking');
    await settle();
    const others = () => ['a', 'b', 'c', 'd'].reduce((sum, account) => sum + begun(account), 0);
    expect([begun('greedy') + begun('modest'), others()]).toEqual([2, 6]);
    for (let turn = 0; turn < 50; turn += 1) {
      end('greedy');
      end('modest');
      await settle();
    }
    await settle();
    expect(others()).toBeGreaterThanOrEqual(7);
  });
});
