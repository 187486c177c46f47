import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { inTurns, type TurnTaker } from './turns.js';

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

  /** An item that takes one millisecond of a clock that moves for nothing else. */
  function spend<T extends string>(done: Record<T, number>, name: T): void {
    const ms = performance.now() + 1;
    jest.spyOn(performance, 'now').mockReturnValue(ms);
    done[name] += 1;
  }

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

  claim.each([
    ['of the same account', 'acc_a'],
    ['of another account', 'acc_b'],
  ])(
    'API10',
    'Work on the items of one supplier, however many answers it sent to an account, delays that of other suppliers, for this account or another, by as much time as that takes itself.',
    'work %s',
    async (_whose, account) => {
      const done = { greedy: 0, modest: 0 };
      const work = (name: keyof typeof done, taker: TurnTaker): Promise<void> =>
        inTurns(items(40), () => spend(done, name), taker);
      const greedy = items(12).map(() => work('greedy', { account: 'acc_a', supplier: 'greedy' }));
      await work('modest', { account, supplier: 'modest' });
      expect([done.modest, done.greedy <= 60]).toEqual([40, true]);
      await Promise.all(greedy);
      expect(done.greedy).toBe(480);
    },
  );

  claim.each<[string, (string | undefined)[]]>([
    ['a supplier', ['uno']],
    ['the gateway', [undefined]],
    ['the gateway and six suppliers, of which the other account asks one', [undefined, ...'abcdef']],
  ])(
    'API4',
    "An account with twelve searches in progress gets no more of the event loop than an account with one, neither for suppliers' answers nor for the gateway's own work, however many suppliers it asks.",
    'in the work of %s',
    async (_whose, suppliers) => {
      const done = { greedy: 0, modest: 0 };
      const work = (account: keyof typeof done, supplier?: string): Promise<void> =>
        inTurns(items(40), () => spend(done, account), { account, ...(supplier === undefined ? {} : { supplier }) });
      const greedy = items(12).map((number) => work('greedy', suppliers[number % suppliers.length]));
      await work('modest', suppliers.at(-1));
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
