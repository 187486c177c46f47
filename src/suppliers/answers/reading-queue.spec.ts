import { describe, expect, it } from '@jest/globals';
import { supplierConfigSchema } from '../../config/supplier-config.schema.js';
import { ReadingQueue } from './reading-queue.js';
import type { Recording } from './replay.js';
import type { TaskResult } from './worker.js';

const recording: Recording = {
  operation: 'searchVehicles',
  question: {},
  context: { requestId: 'req_1', environment: 'sandbox', now: 0 },
  calls: [],
};
const answered: TaskResult = { kind: 'answered', answer: 'x' };
const later = (ms: number): number => performance.now() + ms;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How reading ends: the fault of its error, or `answered`. Never rejects, even if no one waits for it. */
function endOf(reading: Promise<unknown>): Promise<string> {
  return reading.then(
    () => 'answered',
    (error: { readonly fault: string }) => error.fault,
  );
}

/** A pool of `threads` whose tasks the test finishes, in the order in which they started. */
function world(threads: number) {
  const started: string[] = [];
  const running: { readonly finish: (result: TaskResult) => void; readonly fail: (error: Error) => void }[] = [];
  const pool = new ReadingQueue(threads, ({ supplier }, signal) => {
    started.push(supplier.settings.id);
    const task = Promise.withResolvers<TaskResult>();
    running.push({ finish: task.resolve, fail: task.reject });
    signal.addEventListener('abort', () => task.reject(new Error('stopped')));
    return task.promise;
  });
  const readerOf = (id: string) => {
    const read = pool.readerOf(
      supplierConfigSchema.parse({ id, name: id, adapter: 'abg', brands: ['X'], url: 'http://x.example' }),
    );
    return (endsAtMs: number, account = 'acc_a'): Promise<string> => endOf(read(recording, { endsAtMs, account }));
  };
  const finishFirst = async (): Promise<void> => {
    running.shift()?.finish(answered);
    await turn();
  };
  return { started, running, readerOf, finishFirst };
}

describe('worker threads', () => {
  it('are shared in turns: expensive answers of one supplier delay another by one answer', async () => {
    const { started, readerOf, finishFirst } = world(1);
    const [hostile, good] = [readerOf('hostile'), readerOf('good')];
    for (let count = 0; count < 5; count += 1) void hostile(later(10_000));
    const reads = [good(later(10_000)), good(later(10_000))];
    for (let count = 0; count < 7; count += 1) await finishFirst();
    expect(started).toEqual(['hostile', 'hostile', 'good', 'hostile', 'good', 'hostile', 'hostile']);
    expect(await Promise.all(reads)).toEqual(['answered', 'answered']);
  });

  it('are shared in turns by the accounts that a supplier answers, and each may have its own answers waiting', async () => {
    const { readerOf, finishFirst } = world(1);
    const read = readerOf('uno');
    const ends: string[] = [];
    const ask = (account: string): void => {
      void read(later(10_000), account).then((end) => ends.push(`${account} ${end}`));
    };
    for (let count = 0; count < 100; count += 1) ask('greedy');
    for (let count = 0; count < 2; count += 1) ask('modest');
    await turn();
    expect(ends).toEqual(Array.from({ length: 35 }, () => 'greedy unavailable'));
    for (let count = 0; count < 5; count += 1) await finishFirst();
    expect(ends.slice(35)).toEqual([
      ...['greedy answered', 'greedy answered', 'modest answered', 'greedy answered', 'modest answered'],
    ]);
  });

  it('run no more tasks than there are threads', async () => {
    const { started, readerOf, finishFirst } = world(2);
    const read = readerOf('uno');
    for (let count = 0; count < 4; count += 1) void read(later(10_000));
    expect(started.length).toBe(2);
    await finishFirst();
    expect(started.length).toBe(3);
  });

  it('are stopped at the deadline of the call, and are free again', async () => {
    const { started, readerOf } = world(1);
    const read = readerOf('uno');
    expect(await read(later(20))).toBe('bad_payload');
    void read(later(10_000));
    expect(started.length).toBe(2);
  });

  it('do not start a task whose time is over', async () => {
    const { started, readerOf, finishFirst } = world(1);
    const read = readerOf('uno');
    void read(later(10_000));
    const late = read(performance.now() - 1);
    await finishFirst();
    expect(await late).toBe('unavailable');
    expect(started.length).toBe(1);
  });

  it('that run out of memory make the answer a bad payload', async () => {
    const { running, readerOf } = world(1);
    const read = readerOf('uno')(later(10_000));
    running[0]?.fail(new Error('ERR_WORKER_OUT_OF_MEMORY'));
    expect(await read).toBe('bad_payload');
  });

  it('reject the answers of a supplier that sends more than can be read, and only those', async () => {
    const { readerOf } = world(1);
    const [hostile, good] = [readerOf('hostile'), readerOf('good')];
    const ends: string[] = [];
    for (let count = 0; count < 100; count += 1) void hostile(later(10_000)).then((end) => ends.push(end));
    void good(later(10_000)).then((end) => ends.push(end));
    await turn();
    // One is being read, 64 wait.
    expect(ends).toEqual(Array.from({ length: 35 }, () => 'unavailable'));
  });
});
