import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SupplierError } from '../../model/supplier.js';
import type { CallHandle } from '../http-client.js';
import { Bulkhead, type Priority, retryAfterMs } from './bulkhead.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A bulkhead and calls through it. `log` holds the admitted and rejected calls in order. */
function world(settings: { connections?: number; quota?: object; queue?: number; searchShare?: number } = {}) {
  const { connections = 4, quota = {}, queue = 10, searchShare = 1 } = settings;
  const log: string[] = [];
  const queued: number[] = [];
  const held: number[] = [];
  const bounds = { queue, waitShare: 0.25, searchShare };
  const bulkhead = new Bulkhead(
    { connections, quota, bulkhead: bounds },
    () => performance.now(),
    (length) => queued.push(length),
  );
  const ask = (name: string, priority: Priority = 'search', maxWaitMs = 1_000) => {
    const handle: CallHandle = {};
    let end = (): void => undefined;
    const work = () =>
      new Promise<void>((resolve) => {
        log.push(name);
        end = resolve;
      });
    const entry = {
      priority,
      maxWaitMs,
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
      priority: 'search',
      maxWaitMs: 1,
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
  it('blocks all but essential calls for its time, at most a minute', async () => {
    const { bulkhead, ask, log } = world();
    bulkhead.pause(3_600_000);
    expect([await ask('s').done, await ask('b', 'booking').done]).toEqual(['throttled', 'throttled']);
    ask('m', 'essential');
    await jest.advanceTimersByTimeAsync(60_000);
    ask('s2');
    expect(log).toEqual(['s paused', 'b paused', 'm', 's2']);
  });

  it('rejects all waiting calls immediately', async () => {
    const { bulkhead, ask, log, queued, settle } = world({ connections: 1 });
    const first = ask('a');
    const waiting = [ask('s'), ask('b', 'booking')];
    await settle();
    bulkhead.pause(5_000);
    expect(await Promise.all(waiting.map(({ done }) => done))).toEqual(['throttled', 'throttled']);
    first.end();
    await settle();
    expect([log, queued.at(-1)]).toEqual([['a', 'b paused', 's paused'], 0]);
    await jest.advanceTimersByTimeAsync(5_000);
    ask('later');
    expect(log.at(-1)).toBe('later');
  });

  it.each<[string | string[] | undefined, number]>([
    ['3', 3_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
    ['Thu, 01 Jan 2015 00:00:10 GMT', 0],
    ['soon', 0],
    ['-5', 0],
    [undefined, 0],
    [['2', '9'], 2_000],
  ])('Retry-After %j is %i ms', (header, ms) => {
    expect(retryAfterMs(header, Date.UTC(2026, 0, 1))).toBe(ms);
  });
});
