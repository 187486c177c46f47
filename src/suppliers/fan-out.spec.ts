import { describe, expect, it } from '@jest/globals';
import { firstValueFrom, toArray } from 'rxjs';
import { SupplierError } from '../model/supplier.js';
import { Warnings } from '../model/warnings.js';
import { collect, FanOut, type PlannedCall } from './fan-out.js';
import type { OpenCall } from './supplier-connection.js';

const context = {} as OpenCall['context'];
const quiet = { settled: () => undefined, cutOff: () => undefined };

interface Controlled {
  readonly call: PlannedCall<string>;
  readonly aborted: SupplierError[];
  opened: number;
  answer(items: readonly string[]): void;
  fail(error: unknown): void;
}

/** A call that the test answers. */
function controlled(id: string, more: Partial<PlannedCall<string>> = {}): Controlled {
  const waiting: { resolve: (items: readonly string[]) => void; reject: (error: unknown) => void }[] = [];
  const aborted: SupplierError[] = [];
  const subject: Controlled = {
    aborted,
    opened: 0,
    answer: (items) => waiting.shift()?.resolve(items),
    fail: (error) => waiting.shift()?.reject(error),
    call: {
      supplier: { id, name: id.toUpperCase() },
      operation: 'searchVehicles',
      requestId: 'req_1',
      application: 'app_1',
      timeoutMs: 10_000,
      shareKey: `${id}|q`,
      open: () => {
        subject.opened += 1;
        return {
          context,
          run: (work) => work(),
          abort: (error) => aborted.push(error),
          mayHaveWritten: () => false,
          exchanges: [],
          sent: [],
          warnings: new Warnings(),
        };
      },
      run: () =>
        new Promise((resolve, reject) => {
          waiting.push({ resolve: (items) => resolve({ items, warnings: [] }), reject });
        }),
      ...more,
    },
  };
  return subject;
}

const never = () => () => undefined;
const all = { minSuppliers: 0 };

describe('FanOut', () => {
  it('calls all suppliers concurrently and isolates failures', async () => {
    const [a, b, c] = [controlled('a'), controlled('b'), controlled('c')];
    const calls = [a.call, b.call, c.call];
    const done = collect(calls, new FanOut(quiet).run(calls), all, never);
    expect([a.opened, b.opened, c.opened]).toEqual([1, 1, 1]);
    c.answer([]);
    b.fail(new SupplierError('unavailable', 'HTTP 500'));
    a.answer(['car']);
    expect((await done).map(({ supplier, kind }) => `${supplier.id} ${kind}`)).toEqual([
      'a answered',
      'b failed',
      'c empty',
    ]);
  });

  it('emits each outcome as it settles', async () => {
    const [a, b] = [controlled('a'), controlled('b')];
    const emitted = firstValueFrom(new FanOut(quiet).run([a.call, b.call]).pipe(toArray()));
    b.answer(['late']);
    await Promise.resolve();
    a.answer(['later']);
    expect((await emitted).map(({ index }) => index)).toEqual([1, 0]);
  });

  it('times out, closes the socket and ignores a late answer', async () => {
    const a = controlled('a', { timeoutMs: 30 });
    const [outcome] = await collect([a.call], new FanOut(quiet).run([a.call]), all, never);
    expect(outcome).toMatchObject({ kind: 'failed', cause: 'timeout' });
    expect(a.aborted.map((error) => error.fault)).toEqual(['timeout']);
    a.answer(['too late']);
    expect(outcome).toMatchObject({ kind: 'failed' });
  });

  it('treats a bug in an adapter as a failure of only that supplier', async () => {
    const [a, b] = [controlled('a'), controlled('b')];
    const done = collect([a.call, b.call], new FanOut(quiet).run([a.call, b.call]), all, never);
    a.fail(new TypeError('x is not a function'));
    b.answer(['car']);
    expect((await done).map((outcome) => outcome.kind)).toEqual(['failed', 'answered']);
  });

  it('makes equal calls in flight once, marks the shared answer, and calls again afterwards', async () => {
    const fanOut = new FanOut(quiet);
    const a = controlled('a');
    const first = collect([a.call], fanOut.run([a.call]), all, never);
    const second = collect([a.call], fanOut.run([a.call]), all, never);
    a.answer(['car']);
    expect((await first)[0]).toMatchObject({ kind: 'answered', shared: false });
    expect((await second)[0]).toMatchObject({ kind: 'answered', shared: true });
    expect(a.opened).toBe(1);
    const third = collect([a.call], fanOut.run([a.call]), all, never);
    a.answer(['car']);
    expect((await third)[0]).toMatchObject({ shared: false });
    expect(a.opened).toBe(2);
  });

  it('aborts the sockets when the client disconnects, but not while another request shares the call', async () => {
    const fanOut = new FanOut(quiet);
    const a = controlled('a');
    let leave = (): void => undefined;
    void collect([a.call], fanOut.run([a.call]), all, (listener) => {
      leave = listener;
      return () => undefined;
    });
    const other = collect([a.call], fanOut.run([a.call]), all, never);
    leave();
    expect(a.aborted).toEqual([]);
    a.answer(['car']);
    expect((await other)[0]).toMatchObject({ kind: 'answered' });
    void collect([a.call], fanOut.run([a.call]), all, (listener) => {
      leave = listener;
      return () => undefined;
    });
    leave();
    expect(a.aborted.map((error) => error.fault)).toEqual(['cancelled']);
  });
});

describe('collect with a completion policy', () => {
  it('ends at timeout_ms; missing suppliers failed with cause timeout', async () => {
    const [a, b] = [controlled('a'), controlled('b')];
    const calls = [a.call, b.call];
    const done = collect(calls, new FanOut(quiet).run(calls), { minSuppliers: 0, timeoutMs: 30 }, never);
    b.answer(['car']);
    expect(await done).toMatchObject([{ kind: 'failed', cause: 'timeout' }, { kind: 'answered' }]);
    expect(a.aborted.map((error) => error.fault)).toEqual(['cancelled']);
  });

  it('continues after timeout_ms until min_suppliers have answered', async () => {
    const [a, b, c] = [controlled('a'), controlled('b'), controlled('c')];
    const calls = [a.call, b.call, c.call];
    const done = collect(calls, new FanOut(quiet).run(calls), { minSuppliers: 2, timeoutMs: 20 }, never);
    a.answer(['car']);
    const early = await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 60, 'waiting'))]);
    expect(early).toBe('waiting');
    c.answer(['car']);
    expect((await done).map((outcome) => outcome.kind)).toEqual(['answered', 'failed', 'answered']);
  });
});
