import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { supplierConfigSchema } from '../../config/supplier-config.schema.js';
import type { SupplierError } from '../../model/supplier.js';
import { ReadingQueue } from './reading-queue.js';
import type { Recording } from './replay.js';
import type { Task, TaskResult } from './worker.js';

const recording: Recording = {
  operation: 'searchVehicles',
  question: {},
  context: { requestId: 'req_1', environment: 'sandbox', now: 0 },
  calls: [],
};
const answered: TaskResult = { kind: 'answered', answer: 'x' };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How reading ends: `answered`, or the fault and class of its error. Never rejects, even if nothing waits for it. */
function endOf(reading: Promise<unknown>): Promise<string> {
  return reading.then(
    () => 'answered',
    (error: SupplierError) => `${error.fault} ${error.constructor.name}`,
  );
}

/** A pool of `threads` whose tasks the test finishes, in the order in which they started. The clock begins at 0. */
function world(threads: number) {
  const clock = { ms: 0 };
  const later = (ms: number): number => clock.ms + ms;
  const started: string[] = [];
  const unread: string[] = [];
  const running: { readonly finish: (result: TaskResult) => void; readonly fail: (error: Error) => void }[] = [];
  const start = ({ supplier }: Task, signal: AbortSignal): Promise<TaskResult> => {
    started.push(supplier.settings.id);
    const task = Promise.withResolvers<TaskResult>();
    running.push({ finish: task.resolve, fail: task.reject });
    signal.addEventListener('abort', () => task.reject(new Error('stopped')));
    return task.promise;
  };
  const pool = new ReadingQueue(threads, start, () => clock.ms);
  const readerOf = (id: string) => {
    const read = pool.readerOf(
      supplierConfigSchema.parse({ id, name: id, adapter: 'abg', brands: ['X'], url: 'http://x.example' }),
    );
    return (endsAtMs: number, account = 'acc_a', isOver = () => false): Promise<string> =>
      endOf(read(recording, { endsAtMs, account, isOver, unread: () => unread.push(account) }));
  };
  /** Finishes the task that started first, `ms` after it or another one did. */
  const finishFirst = async (ms = 1): Promise<void> => {
    clock.ms += ms;
    running.shift()?.finish(answered);
    await turn();
  };
  return { started, running, readerOf, finishFirst, later, unread };
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('worker threads', () => {
  it('are shared in turns: expensive answers of one supplier delay another by one answer', async () => {
    const { started, readerOf, finishFirst, later } = world(1);
    const [hostile, good] = [readerOf('hostile'), readerOf('good')];
    for (let count = 0; count < 5; count += 1) void hostile(later(10_000));
    const reads = [good(later(10_000)), good(later(10_000))];
    for (let count = 0; count < 7; count += 1) await finishFirst();
    expect(started).toEqual(['hostile', 'good', 'hostile', 'good', 'hostile', 'hostile', 'hostile']);
    expect(await Promise.all(reads)).toEqual(['answered', 'answered']);
  });

  it('are shared in turns by the accounts that a supplier answers; each may have its own answers waiting, and more are reported', async () => {
    const { readerOf, finishFirst, later, unread } = world(1);
    const read = readerOf('uno');
    const ends: string[] = [];
    const ask = (account: string): void => {
      void read(later(10_000), account).then((end) => ends.push(`${account} ${end}`));
    };
    for (let count = 0; count < 100; count += 1) ask('greedy');
    for (let count = 0; count < 2; count += 1) ask('modest');
    await turn();
    expect(ends).toEqual(Array.from({ length: 35 }, () => 'greedy unavailable CallRejectedError'));
    expect(unread).toEqual(Array.from({ length: 35 }, () => 'greedy'));
    for (let count = 0; count < 5; count += 1) await finishFirst();
    expect(ends.slice(35)).toEqual([
      ...['greedy answered', 'modest answered', 'greedy answered', 'modest answered', 'greedy answered'],
    ]);
  });

  it('run no more tasks than there are threads', async () => {
    const { started, readerOf, finishFirst, later } = world(2);
    for (const id of ['uno', 'due', 'tre', 'quattro']) void readerOf(id)(later(10_000));
    expect(started.length).toBe(2);
    await finishFirst();
    expect(started.length).toBe(3);
  });

  it('are stopped at the deadline of the call, for which the supplier is not blamed, and are free again', async () => {
    const { started, readerOf, later } = world(1);
    const read = readerOf('uno');
    expect(await read(later(20))).toBe('unavailable CallRejectedError');
    void read(later(10_000));
    await turn();
    expect(started.length).toBe(2);
  });

  it('are shared by time: many cheap answers of one supplier count no more than a costly one of another', async () => {
    const { started, readerOf, finishFirst, later } = world(1);
    const [costly, cheap] = [readerOf('costly'), readerOf('cheap')];
    for (let count = 0; count < 3; count += 1) void costly(later(10_000));
    for (let count = 0; count < 8; count += 1) void cheap(later(10_000));
    for (const name of started) await finishFirst(name === 'costly' ? 40 : 10);
    expect(started.map((name) => name.slice(0, 2)).join(' ')).toBe('co ch ch ch ch co ch ch ch ch co');
  });

  claim(
    'API10',
    'A supplier whose answers are costly to read never gets all threads: the answer of another supplier is read immediately.',
    async () => {
      const { started, readerOf, running, later } = world(2);
      const [hostile, good] = [readerOf('hostile'), readerOf('good')];
      for (let count = 0; count < 10; count += 1) void hostile(later(10_000), `acc_${count}`);
      expect(started).toEqual(['hostile']);
      const read = good(later(10_000));
      expect(started).toEqual(['hostile', 'good']);
      running[1]?.finish(answered);
      expect(await read).toBe('answered');
    },
  );

  it('serve one supplier although it gets no second thread', async () => {
    const { started, readerOf, finishFirst, later } = world(2);
    const read = readerOf('uno');
    for (let count = 0; count < 3; count += 1) void read(later(10_000));
    for (let count = 0; count < 3; count += 1) await finishFirst();
    expect(started.length).toBe(3);
  });

  it('do not start a task after its deadline, and report that its answer was not read', async () => {
    const { started, readerOf, finishFirst, later, unread } = world(1);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const read = readerOf('uno');
    void read(later(10_000));
    const late = read(later(5));
    await finishFirst(10);
    expect(await late).toBe('unavailable CallRejectedError');
    expect([started.length, unread]).toEqual([1, ['acc_a']]);
    // Node warns about a negative time.
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([10_000, 0]);
  });

  it('that run out of their allowance of time or memory make the answer a bad payload', async () => {
    const { running, readerOf, later } = world(1);
    const read = readerOf('uno')(later(10_000));
    running[0]?.fail(new Error('ERR_WORKER_OUT_OF_MEMORY'));
    expect(await read).toBe('bad_payload SupplierError');
  });

  it('reject the answers of a supplier that sends more than can be read, and only those', async () => {
    const { readerOf, later } = world(1);
    const [hostile, good] = [readerOf('hostile'), readerOf('good')];
    const ends: string[] = [];
    for (let count = 0; count < 100; count += 1) void hostile(later(10_000)).then((end) => ends.push(end));
    void good(later(10_000)).then((end) => ends.push(end));
    await turn();
    // One is being read, 64 wait.
    expect(ends).toEqual(Array.from({ length: 35 }, () => 'unavailable CallRejectedError'));
  });

  claim(
    'API4',
    'At most 256 large answers of a supplier wait to be read; when more do, the account with the most of them loses its newest.',
    async () => {
      const { readerOf, later, unread } = world(1);
      const read = readerOf('uno');
      void read(later(10_000), 'acc_first');
      const greedy = ['acc_0', 'acc_1', 'acc_2', 'acc_3'];
      for (const account of greedy) for (let count = 0; count < 64; count += 1) void read(later(10_000), account);
      const ends: string[] = [];
      for (let count = 0; count < 4; count += 1) void read(later(10_000), 'acc_m').then((end) => ends.push(end));
      await turn();
      expect([unread, ends]).toEqual([greedy, []]);
    },
  );

  it('do not read the answers of aborted calls, which leave their places to others', async () => {
    const { started, readerOf, finishFirst, later, unread } = world(1);
    const read = readerOf('uno');
    void read(later(10_000));
    let isOver = false;
    for (let count = 0; count < 64; count += 1) void read(later(10_000), 'acc_a', () => isOver);
    isOver = true;
    const kept = read(later(10_000));
    expect(unread.length).toBe(64);
    void read(later(10_000), 'acc_b', () => isOver);
    await finishFirst();
    await finishFirst();
    expect([await kept, started.length]).toEqual(['answered', 2]);
  });
});
