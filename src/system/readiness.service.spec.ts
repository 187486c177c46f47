import { afterEach, expect, it, jest } from '@jest/globals';
import type { Database } from '../database/database.js';
import { DatabaseClock } from '../database/database-clock.js';
import { WriteWatch } from '../database/database-fault.js';
import { type Store, StoreUnavailableError } from '../store/store.js';
import { Readiness } from './readiness.service.js';

const failed = (code: string) => Object.assign(new Error('refused'), { code });

/** The parts of a gateway whose pings and last write ended like this; undefined = well. */
async function readiness(ended: { store?: Error; ping?: Error; write?: Error }) {
  const writes = new WriteWatch();
  const answer = async (error: Error | undefined): Promise<void> => {
    if (error) throw error;
  };
  if (ended.write) await writes.run(() => answer(ended.write), Boolean).catch(() => undefined);
  const store = { ping: () => answer(ended.store) } as Store;
  const database = { ping: () => answer(ended.ping), clock: new DatabaseClock(), writes } as unknown as Database;
  return new Readiness(store, database).check();
}

it.each([
  ['full', failed('53100')],
  ['read_only', failed('25006')],
  ['locked', failed('57014')],
  ['overloaded', failed('53300')],
])(
  'a database that answers but whose last write failed is %s, since then, and searches go on',
  async (state, write) => {
    expect(await readiness({ write })).toMatchObject({
      isReady: true,
      parts: { store: 'up', database: state, database_failed_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
  },
);

it.each([
  ['down', failed('ECONNREFUSED')],
  ['down', new Error('unknown')],
  ['overloaded', new Error('timeout exceeded when trying to connect')],
])('a database that does not answer is %s, whatever its last write', async (state, ping) => {
  const { isReady, parts } = await readiness({ ping, write: failed('53100') });
  expect([isReady, parts.database, parts.database_failed_at]).toEqual([true, state, undefined]);
});

it.each([
  ['down', new StoreUnavailableError()],
  ['full', new StoreUnavailableError({ cause: new Error('MISCONF Redis is configured to save') })],
])('a store that is %s makes the gateway not ready', async (state, store) => {
  expect(await readiness({ store })).toMatchObject({ isReady: false, parts: { store: state, database: 'up' } });
});

afterEach(() => {
  jest.useRealTimers();
});

it('answers before its parts do; half a second after they were asked, both are down', async () => {
  jest.useFakeTimers();
  const silent = () => new Promise<void>(() => undefined);
  const database = { ping: silent, clock: new DatabaseClock(), writes: new WriteWatch() } as unknown as Database;
  const readiness = new Readiness({ ping: silent } as unknown as Store, database);
  // The parts never answer, and their time doesn't pass.
  expect((await readiness.check()).isReady).toBe(true);
  jest.advanceTimersByTime(600);
  expect(await readiness.check()).toMatchObject({ isReady: false, parts: { store: 'down', database: 'down' } });
});

it('doesn’t ask any part without calls: the first caller after half a minute waits until it knows that the store is silent', async () => {
  jest.useFakeTimers();
  let isSilent = false;
  const ping = () => (isSilent ? new Promise<void>(() => undefined) : Promise.resolve());
  const database = { ping, clock: new DatabaseClock(), writes: new WriteWatch() } as unknown as Database;
  const readiness = new Readiness({ ping } as unknown as Store, database);
  expect((await readiness.check()).isReady).toBe(true);
  await jest.advanceTimersByTimeAsync(40_000);
  isSilent = true;
  const answer = readiness.check();
  await jest.advanceTimersByTimeAsync(600);
  expect((await answer).isReady).toBe(false);
  readiness.onModuleDestroy();
});

it('between calls, parts are asked in the background: a caller after 10 s has the answer within 50 ms, even if the store is silent', async () => {
  jest.useFakeTimers();
  let isSilent = false;
  const ping = () => (isSilent ? new Promise<void>(() => undefined) : Promise.resolve());
  const database = { ping, clock: new DatabaseClock(), writes: new WriteWatch() } as unknown as Database;
  const readiness = new Readiness({ ping } as unknown as Store, database);
  expect((await readiness.check()).isReady).toBe(true);
  isSilent = true;
  await jest.advanceTimersByTimeAsync(10_000);
  const answer = readiness.check();
  await jest.advanceTimersByTimeAsync(50);
  expect((await answer).isReady).toBe(false);
  readiness.onModuleDestroy();
});

it('a store that failed a call is down until it has answered a question that was asked afterwards', async () => {
  let failedMs = Number.NEGATIVE_INFINITY;
  let isAnswering = true;
  const ping = () => (isAnswering ? Promise.resolve() : new Promise<void>(() => undefined));
  const database = { ping: () => Promise.resolve(), clock: new DatabaseClock(), writes: new WriteWatch() };
  const readiness = new Readiness(
    {
      ping,
      get failedMs() {
        return failedMs;
      },
    } as Store,
    database as unknown as Database,
  );
  expect((await readiness.check()).isReady).toBe(true);
  isAnswering = false;
  failedMs = performance.now();
  expect((await readiness.check()).parts.store).toBe('down');
});
