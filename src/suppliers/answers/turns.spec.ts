import { describe, expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { inTurns } from './turns.js';

const busy = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
};
const items = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('work on many items', () => {
  it('is done in turns, in order', async () => {
    const done: number[] = [];
    let turns = 0;
    const watch = setInterval(() => {
      turns += 1;
    }, 1);
    await inTurns(items(40), (item) => {
      busy(1);
      done.push(item);
    });
    clearInterval(watch);
    expect([done, turns > 4]).toEqual([items(40), true]);
  });

  it('of many answers takes no longer per turn of the event loop than that of one', async () => {
    let open = 10;
    let worked = 0;
    const perTurn: number[] = [];
    const note = (): void => {
      perTurn.push(worked);
      worked = 0;
      if (open > 0) setImmediate(note);
    };
    note();
    await Promise.all(
      items(10).map(async (number) => {
        await inTurns(
          items(20),
          () => {
            busy(0.5);
            worked += 1;
          },
          `supplier${number}`,
        );
        open -= 1;
      }),
    );
    // 5 ms are ten items, and the last may begin just before the end.
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(11);
  });

  claim(
    'API10',
    'Work on the items of one supplier, however many answers it sent, waits for that of others.',
    async () => {
      const log: string[] = [];
      const work = async (name: string, supplier: string, count: number): Promise<void> => {
        await inTurns(items(count), () => busy(1), supplier);
        log.push(name);
      };
      const greedy = items(12).map((number) => work(`greedy${number}`, 'greedy', 20));
      await Promise.all([...greedy, work('modest', 'modest', 20)]);
      expect(log.indexOf('modest')).toBe(0);
    },
  );

  it('rejects if the work on one item throws, and the next is done', async () => {
    const fails = inTurns([1], () => {
      throw new RangeError('no');
    });
    await expect(fails).rejects.toThrow('no');
    await inTurns([1], () => undefined);
  });

  it('fails as the bad payload of its supplier after 200 ms of processor time; the work of the gateway goes on', async () => {
    let done = 0;
    const work = (): void => {
      busy(5);
      done += 1;
    };
    await expect(inTurns(items(1_000), work, 'uno')).rejects.toMatchObject({ fault: 'bad_payload' });
    expect(done).toBeLessThan(500);
    await inTurns(items(60), work);
    await inTurns(items(10), work, 'uno');
  });
});
