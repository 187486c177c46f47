import { describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { longestTurn } from '../../test/support/longest-turn.js';
import { LoopTurns } from './loop-turns.js';

/** Blocks the event loop. */
function work(ms: number): void {
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
}

describe('the turns of handlers', () => {
  claim('API4', 'A flood of calls or pages leaves the event loop to other requests every 8 ms.', async () => {
    const turns = new LoopTurns();
    const done = Promise.all(Array.from({ length: 60 }, () => Promise.resolve(turns.take('one')).then(() => work(4))));
    const { longest, all } = await longestTurn(done);
    // Twenty turns of three pages; the machine may pause.
    expect(longest).toBeLessThan(all / 3);
  });

  claim(
    'API2',
    'A call that waits for its turn for long is not carried out if its token is revoked meanwhile.',
    async () => {
      const turns = new LoopTurns();
      const done: string[] = [];
      const call = async (name: string, check: () => Promise<void>): Promise<void> => {
        const arrivedAt = performance.now();
        const isLate = () => performance.now() - arrivedAt > 100;
        await turns.takeFor({ reauthorizeIfLate: () => (isLate() ? check() : undefined) }, 'one');
        work(15);
        done.push(name);
      };
      const revoked = async (): Promise<void> => {
        throw new Error('revoked');
      };
      const prompt = Array.from({ length: 2 }, (_each, index) => call(`prompt ${index}`, revoked));
      const active = Array.from({ length: 10 }, (_each, index) => call(`active ${index}`, async () => undefined));
      const late = Array.from({ length: 4 }, (_each, index) => call(`late ${index}`, revoked));
      const ends = (await Promise.allSettled([...prompt, ...active, ...late])).map(({ status }) => status);
      expect(ends).toEqual([...Array(12).fill('fulfilled'), ...Array(4).fill('rejected')]);
      expect(done.filter((name) => name.startsWith('late'))).toEqual([]);
    },
  );

  it('are as short for calls that were checked again, which are checked together', async () => {
    const turns = new LoopTurns();
    const checks: (() => void)[] = [];
    const late = { reauthorizeIfLate: () => new Promise<void>((resolve) => checks.push(resolve)) };
    const checked = Array.from({ length: 40 }, async () => {
      await turns.takeFor(late, 'one');
      work(4);
    });
    // The first one doesn't wait.
    for (let waits = 0; checks.length < 39 && waits < 1_000; waits += 1)
      await new Promise((resolve) => setTimeout(resolve, 1));
    for (const end of checks) end();
    let [longest, lastMs, isOver] = [0, performance.now(), false];
    const startedAt = lastMs;
    const all = Promise.all(checked).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      longest = Math.max(longest, performance.now() - lastMs);
      lastMs = performance.now();
    }
    await all;
    // About thirteen turns of three calls; the machine may pause.
    expect(longest).toBeLessThan((performance.now() - startedAt) / 3);
  });

  it('serve callers in rotation', async () => {
    const turns = new LoopTurns();
    const order: string[] = [];
    const callers = [...'aaaaaaaaab'];
    await Promise.all(callers.map((caller) => Promise.resolve(turns.take(caller)).then(() => order.push(caller))));
    // After the one that didn't wait, and one of those that do.
    expect(order.indexOf('b')).toBeLessThan(3);
    expect(order).toHaveLength(10);
  });

  it('come to all that wait, however many they are', async () => {
    const turns = new LoopTurns(() => 0);
    let begun = 0;
    const most = 20_000;
    for (let number = 0; number < most; number += 1)
      void Promise.resolve(turns.take(`caller ${number % 7}`)).then(() => {
        begun += 1;
      });
    for (let turn = 0; turn < most && begun < most; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toBe(most);
  });

  it('let the first caller of a turn begin without waiting', async () => {
    const turns = new LoopTurns();
    expect(turns.take('one')).toBeUndefined();
    const second = turns.take('two');
    expect(second).toBeInstanceOf(Promise);
    await second;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(turns.take('two')).toBeUndefined();
  });
});
