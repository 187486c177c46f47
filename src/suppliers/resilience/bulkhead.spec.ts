import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SupplierError } from '../../model/supplier.js';
import type { CallHandle } from '../http-client.js';
import type { Priority } from './bulkhead.js';
import { type PlacedCall, SupplierPlaces } from './supplier-places.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A bulkhead and calls through it. `log` holds the admitted and rejected calls in order. */
function world(
  settings: { connections?: number; quota?: object; queue?: number; searchShare?: number; accountShare?: number } = {},
) {
  const { connections = 4, quota = {}, queue = 10, searchShare = 1, accountShare = 1 } = settings;
  const log: string[] = [];
  const queued: number[] = [];
  const held: number[] = [];
  const bounds = { queue, waitShare: 0.25, searchShare, accountShare };
  const bulkhead = new SupplierPlaces(
    { connections, quota, bulkhead: bounds },
    () => performance.now(),
    (length) => queued.push(length),
  );
  /** The account of a call is the part of its name before a slash. */
  const ask = (name: string, priority: PlacedCall['priority'] = 'search', maxWaitMs = 1_000, timeMs = 4_000) => {
    const handle: CallHandle = {};
    let end = (): void => undefined;
    const work = () =>
      new Promise<void>((resolve) => {
        log.push(name);
        end = resolve;
      });
    const entry = {
      account: name.includes('/') ? name.slice(0, name.indexOf('/')) : '',
      priority,
      maxWaitMs,
      latestStartMs: performance.now() + timeMs,
      handle,
      held: (ms: number) => held.push(ms),
      refused: (why: string) => log.push(`${name} ${why}`),
    };
    const done = bulkhead.pass(entry, work).catch((error: unknown) => {
      if (!(error instanceof SupplierError)) throw error;
      return `${error.fault}${error.sent ? ' sent' : ''}`;
    });
    return { handle, done, end: () => end() };
  };
  const settle = () => jest.advanceTimersByTimeAsync(0);
  return { bulkhead, ask, log, queued, held, settle };
}

describe('the bulkhead', () => {
  it('limits the calls in flight and admits the next in order when one returns', async () => {
    const { ask, log, settle } = world({ connections: 2 });
    const [first] = ['a', 'b', 'c', 'd'].map((name) => ask(name));
    await settle();
    expect(log).toEqual(['a', 'b']);
    first?.end();
    await settle();
    expect(log).toEqual(['a', 'b', 'c']);
  });

  it('reserves sockets for bookings, which go before waiting searches', async () => {
    const { ask, log, settle } = world({ connections: 4, searchShare: 0.75 });
    const searches = ['s1', 's2', 's3', 's4'].map((name) => ask(name));
    const bookings = ['b1', 'b2'].map((name) => ask(name, 'booking'));
    await settle();
    expect(log).toEqual(['s1', 's2', 's3', 'b1']);
    searches[0]?.end();
    await settle();
    expect(log.at(-1)).toBe('b2');
    bookings[0]?.end();
    await settle();
    expect(log.at(-1)).toBe('s4');
  });

  it('rejects calls when the queue is full or they waited too long, but never essential calls', async () => {
    const { ask, log, queued, held, settle } = world({ connections: 1, queue: 1 });
    ask('a');
    const waiting = ask('b');
    const refused = ask('c');
    expect(await refused.done).toBe('unavailable');
    ask('d', 'essential');
    await settle();
    expect(log).toEqual(['a', 'c queue_full', 'd']);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await waiting.done).toBe('unavailable');
    expect([log.at(-1), queued.at(-1), held]).toEqual(['b waited', 0, [1_000]]);
  });

  it('accepts bookings when it is full of searches, and admits them first', async () => {
    const { ask, log, settle } = world({ connections: 1, queue: 2 });
    const first = ask('a');
    ['s1', 's2', 's3'].map((name) => ask(name));
    const bookings = ['b1', 'b2', 'b3'].map((name) => ask(name, 'booking'));
    await settle();
    expect(log).toEqual(['a', 's3 queue_full', 'b3 queue_full']);
    first.end();
    await settle();
    bookings[0]?.end();
    await settle();
    bookings[1]?.end();
    await settle();
    expect(log.slice(3)).toEqual(['b1', 'b2', 's1']);
  });

  it('removes an aborted call from the queue', async () => {
    const { ask, log, queued, settle } = world({ connections: 1 });
    const first = ask('a');
    const waiting = ask('b');
    ask('c');
    await settle();
    waiting.handle.abort?.(new SupplierError('cancelled', 'nobody waits'));
    expect([await waiting.done, queued.at(-1)]).toEqual(['cancelled', 1]);
    first.end();
    await settle();
    expect(log).toEqual(['a', 'c']);
  });

  it('releases its place when the call fails', async () => {
    const { bulkhead, ask, log, settle } = world({ connections: 1 });
    const entry = {
      account: '',
      priority: 'search',
      maxWaitMs: 1,
      latestStartMs: 1,
      handle: {},
      held: () => undefined,
      refused: () => undefined,
    } as const;
    await expect(bulkhead.pass(entry, () => Promise.reject(new Error('reset')))).rejects.toThrow('reset');
    ask('a');
    await settle();
    expect(log).toEqual(['a']);
  });
});

describe('several accounts', () => {
  const many = (count: number, name: string): string[] => Array.from({ length: count }, (_, at) => `${name}/${at}`);

  it.each<Priority>(['search', 'booking'])(
    'find a place while one account has as many calls as it can (%s)',
    async (priority) => {
      const { ask, log, settle } = world({ connections: 64, queue: 256, searchShare: 0.875, accountShare: 0.75 });
      for (const name of many(170, 'greedy')) ask(name, priority);
      await settle();
      const taken = log.length;
      for (const name of many(3, 'modest')) ask(name);
      await settle();
      expect(taken).toBe(priority === 'search' ? 42 : 48);
      expect(log.slice(taken)).toEqual(many(3, 'modest'));
    },
  );

  it('find the last place while three others have as many calls as they can', async () => {
    const { ask, log, settle } = world({ connections: 64, queue: 1_000, searchShare: 0.875, accountShare: 0.75 });
    for (const greedy of ['a', 'b', 'c']) for (const name of many(100, greedy)) ask(name);
    await settle();
    ask('modest/0');
    await settle();
    expect(log.at(-1)).toBe('modest/0');
  });

  it('take turns when they wait, and one with a single call need not wait for the queue of another', async () => {
    const { ask, log, settle } = world({ connections: 1, queue: 100 });
    const names = ['a/first', ...many(6, 'a'), ...many(3, 'b'), 'c/0'];
    const calls = new Map(names.map((name) => [name, ask(name)]));
    for (let turn = 0; turn < 7; turn += 1) {
      await settle();
      calls.get(log.at(-1) ?? '')?.end();
    }
    await settle();
    expect(log.map((name) => name[0]).join('')).toBe('abcababa');
  });

  it('lose calls only for their own full queue', async () => {
    const { ask, log, settle } = world({ connections: 1, queue: 4 });
    ask('a/first');
    const greedy = many(4, 'a').map((name) => ask(name));
    const modest = many(2, 'b').map((name) => ask(name));
    ask('a/late');
    await settle();
    expect(await Promise.all(greedy.slice(2).map(({ done }) => done))).toEqual(['unavailable', 'unavailable']);
    expect(log).toEqual(['a/first', 'a/3 queue_full', 'a/2 queue_full', 'a/late queue_full']);
    expect(modest).toHaveLength(2);
  });

  it('share a quota equally, whatever the others wait for', async () => {
    const { ask, log } = world({ connections: 100, quota: { perSecond: 20, burst: 1 }, queue: 256 });
    for (const name of many(200, 'a')) ask(name, 'booking', 10_000);
    await jest.advanceTimersByTimeAsync(1_000);
    const before = log.length;
    for (const name of many(8, 'b')) ask(name, 'search', 1_000);
    await jest.advanceTimersByTimeAsync(1_000);
    const served = log.slice(before).filter((line) => !line.includes(' '));
    expect(served.filter((name) => name.startsWith('b/'))).toEqual(many(8, 'b'));
    expect(served.length).toBeGreaterThanOrEqual(19);
  });

  it('gain nothing from having been quiet', async () => {
    const { ask, log, settle } = world({ connections: 2, queue: 100 });
    const long = ask('quiet/first');
    for (let call = 0; call < 50; call += 1) {
      const { end, done } = ask(`busy/${call}`);
      await settle();
      end();
      await done;
    }
    const held = ask('busy/held');
    for (const name of many(4, 'quiet')) ask(name);
    for (const name of many(4, 'late')) ask(name);
    await settle();
    const before = log.length;
    long.end();
    held.end();
    await settle();
    expect(
      log
        .slice(before)
        .map((name) => name.slice(0, name.indexOf('/')))
        .sort(),
    ).toEqual(['late', 'quiet']);
  });

  it('are forgotten when they have no calls left, and a quota of one place serves each in turn', async () => {
    const { ask, log, settle } = world({ quota: { concurrent: 1 }, queue: 100, accountShare: 0.75 });
    const calls = ['a/0', 'a/1', 'b/0', 'a/2', 'b/1'].map((name) => ask(name));
    await settle();
    for (let turn = 0; turn < calls.length; turn += 1) {
      for (const { end } of calls) end();
      await settle();
    }
    expect(log).toEqual(['a/0', 'b/0', 'a/1', 'b/1', 'a/2']);
  });
});

describe('the quota', () => {
  it('spreads calls over time and rejects those that would wait too long as throttled', async () => {
    const { ask, log, settle } = world({ connections: 100, quota: { perSecond: 10, burst: 2 } });
    const calls = Array.from({ length: 8 }, (_, index) => ask(String(index), 'search', 450));
    await settle();
    expect(log.filter((line) => !line.includes('quota'))).toEqual(['0', '1']);
    expect(await Promise.all(calls.slice(6).map(({ done }) => done))).toEqual(['throttled', 'throttled']);
    await jest.advanceTimersByTimeAsync(105);
    expect(log.filter((line) => !line.includes('quota'))).toEqual(['0', '1', '2']);
    await jest.advanceTimersByTimeAsync(305);
    expect(log.filter((line) => !line.includes('quota'))).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  it('gives the next token to a booking, even if a search came first', async () => {
    const { ask, log } = world({ connections: 100, quota: { perSecond: 10, burst: 1 } });
    ask('s1');
    ask('s2');
    ask('b', 'booking');
    await jest.advanceTimersByTimeAsync(105);
    expect(log).toEqual(['s1', 'b']);
  });

  it('limits the calls in flight and rejects others as throttled', async () => {
    const { ask, settle } = world({ connections: 100, quota: { concurrent: 1 } });
    ask('a');
    const second = ask('b', 'search', 50);
    await settle();
    await jest.advanceTimersByTimeAsync(50);
    expect(await second.done).toBe('throttled');
  });
});

describe('a pause that the supplier requested', () => {
  it('blocks all but essential calls for its time', async () => {
    const { bulkhead, ask, log } = world();
    bulkhead.pause(60_000);
    expect([await ask('s').done, await ask('b', 'booking').done]).toEqual(['throttled', 'throttled']);
    ask('m', 'essential');
    await jest.advanceTimersByTimeAsync(60_000);
    ask('s2');
    expect(log).toEqual(['s paused', 'b paused', 'm', 's2']);
  });

  it('that ends in time is waited for, and bookings go first after it', async () => {
    const { bulkhead, ask, log, held, settle } = world({ connections: 1 });
    bulkhead.pause(3_000);
    const [search] = [ask('s'), ask('late', 'search', 1_000, 2_999), ask('b', 'booking')];
    await jest.advanceTimersByTimeAsync(2_999);
    expect(log).toEqual(['late paused']);
    await jest.advanceTimersByTimeAsync(1);
    expect(log).toEqual(['late paused', 'b']);
    // From the end of the pause, a call waits for a place as long as usual.
    await jest.advanceTimersByTimeAsync(999);
    expect(log).toEqual(['late paused', 'b']);
    await jest.advanceTimersByTimeAsync(2);
    expect([log.at(-1), await search.done]).toEqual(['s waited', 'unavailable']);
    await settle();
    expect(held).toEqual([3_000, 4_000]);
  });

  it('is waited for in the queue, within its limits and in fair order, and an aborted call leaves it', async () => {
    const { bulkhead, ask, log, queued, settle } = world({ connections: 2, queue: 3 });
    bulkhead.pause(1_000);
    const calls = ['a/1', 'a/2', 'a/3', 'b/1'].map((name) => ask(name));
    await settle();
    expect([log, queued.at(-1)]).toEqual([['a/3 queue_full'], 3]);
    calls[0]?.handle.abort?.(new SupplierError('timeout', 'over'));
    expect(await calls[0]?.done).toBe('timeout');
    await jest.advanceTimersByTimeAsync(1_000);
    expect([log, queued.at(-1)]).toEqual([['a/3 queue_full', 'a/2', 'b/1'], 0]);
  });

  it('rejects waiting calls that would start too late immediately', async () => {
    const { bulkhead, ask, log, queued, settle } = world({ connections: 1 });
    const first = ask('a');
    const waiting = [ask('s'), ask('b', 'booking')];
    await settle();
    bulkhead.pause(5_000);
    // They have 4 s.
    expect(await Promise.all(waiting.map(({ done }) => done))).toEqual(['throttled', 'throttled']);
    first.end();
    await settle();
    expect([log, queued.at(-1)]).toEqual([['a', 'b paused', 's paused'], 0]);
    await jest.advanceTimersByTimeAsync(5_000);
    ask('later');
    expect(log.at(-1)).toBe('later');
  });
});
