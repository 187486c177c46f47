import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { inTurns } from './turns.js';

const busy = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
};
const own = { account: 'acc_a' };
const uno = { account: 'acc_a', supplier: 'uno' };
const items = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('work on many items', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is done in turns, in order', async () => {
    const done: number[] = [];
    let turns = 0;
    const watch = setInterval(() => {
      turns += 1;
    }, 1);
    await inTurns(
      items(40),
      (item) => {
        busy(1);
        done.push(item);
      },
      own,
    );
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
          { account: 'acc_a', supplier: `supplier${number}` },
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
        await inTurns(items(count), () => busy(1), { account: 'acc_a', supplier });
        log.push(name);
      };
      const greedy = items(12).map((number) => work(`greedy${number}`, 'greedy', 20));
      await Promise.all([...greedy, work('modest', 'modest', 20)]);
      expect(log.indexOf('modest')).toBe(0);
    },
  );

  claim.each([['a supplier', 'uno'] as const, ['the gateway', undefined] as const])(
    'API4',
    "An account with twelve searches in progress gets no more of the event loop than an account with one, neither for suppliers' answers nor for the gateway's own work.",
    'in the work of %s',
    async (_whose, supplier) => {
      let ms = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => ms);
      const done = { greedy: 0, modest: 0 };
      const work = (account: keyof typeof done): Promise<void> => {
        const taker = { account, ...(supplier === undefined ? {} : { supplier }) };
        const item = (): void => {
          ms += 1;
          done[account] += 1;
        };
        return inTurns(items(40), item, taker);
      };
      const greedy = Array.from({ length: 12 }, () => work('greedy'));
      await work('modest');
      // Turns of five items: the account that came first is ahead by one or two.
      expect([done.modest, done.greedy <= 60]).toEqual([40, true]);
      await Promise.all(greedy);
      expect(done.greedy).toBe(480);
    },
  );

  it('rejects if the work on one item throws, and the next is done', async () => {
    const fails = inTurns(
      [1],
      () => {
        throw new RangeError('no');
      },
      own,
    );
    await expect(fails).rejects.toThrow('no');
    await inTurns([1], () => undefined, own);
  });

  it('fails as the bad payload of its supplier after 200 ms of processor time; the work of the gateway goes on', async () => {
    let done = 0;
    const work = (): void => {
      busy(5);
      done += 1;
    };
    await expect(inTurns(items(1_000), work, uno)).rejects.toMatchObject({ fault: 'bad_payload' });
    expect(done).toBeLessThan(500);
    await inTurns(items(60), work, own);
    await inTurns(items(10), work, uno);
  });
});
