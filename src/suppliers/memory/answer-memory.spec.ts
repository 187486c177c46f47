import { describe, expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { heapOf } from '../../../test/support/heap.js';
import { AnswerMemory } from './answer-memory.js';

const answer = (name: string, bytes = 1_000) => ({ items: [name], keptAt: 0, endsAt: Infinity, bytes });
const found = (memory: AnswerMemory<string>, account: string, key: string) => memory.find(account, key)?.items;

describe('answers in memory', () => {
  it('are found by their account and key only', () => {
    const memory = new AnswerMemory<string>(100_000);
    memory.keep('acc_1', 'BOS', answer('one'));
    expect(found(memory, 'acc_1', 'BOS')).toEqual(['one']);
    expect(found(memory, 'acc_2', 'BOS')).toBeUndefined();
    expect(found(memory, 'acc_1', 'BOSTON')).toBeUndefined();
    memory.keep('acc_1', 'BOS', answer('two'));
    expect(found(memory, 'acc_1', 'BOS')).toEqual(['two']);
    expect(memory.bytes).toBe(1_500);
  });

  it('never take more than their bytes: the one used longest ago goes first', () => {
    const memory = new AnswerMemory<string>(15_000);
    for (const key of ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) memory.keep('acc_1', key, answer(key));
    expect(memory.bytes).toBe(15_000);
    memory.find('acc_1', '0');
    memory.keep('acc_1', 'new', answer('new'));
    expect(memory.bytes).toBe(15_000);
    expect([found(memory, 'acc_1', '0'), found(memory, 'acc_1', '1')]).toEqual([['0'], undefined]);
  });

  it('of an account that uses little survive the flood of another', () => {
    const memory = new AnswerMemory<string>(15_000);
    for (const key of ['a', 'b', 'c']) memory.keep('acc_small', key, answer(key));
    for (let at = 0; at < 1_000; at += 1) memory.keep('acc_flood', `${at}`, answer(`${at}`));
    expect(['a', 'b', 'c'].map((key) => found(memory, 'acc_small', key))).toEqual([['a'], ['b'], ['c']]);
    expect(memory.bytes).toBeLessThanOrEqual(15_000);
  });

  it('of more than an eighth of the memory are not kept, and replace an older one all the same', () => {
    const memory = new AnswerMemory<string>(100_000);
    memory.keep('acc_1', 'BOS', answer('old'));
    memory.keep('acc_1', 'BOS', answer('large', 12_001));
    expect(found(memory, 'acc_1', 'BOS')).toBeUndefined();
    expect(memory.bytes).toBe(0);
  });

  claim(
    ['API10', 'suppliers'],
    'The texts of an answer in memory keep no larger ones there, whatever an adapter cut them from.',
    () => {
      const source = (at: number) => `Volkswagen Golf ${at}${' '.repeat(60_000)}or similar`;
      const keptOf = () => {
        const memory = new AnswerMemory<object>(1_000_000);
        for (let at = 0; at < 200; at += 1) {
          const name = source(at).replace(/ +or similar$/, '');
          const items = [{ vehicle: { name }, supplierRef: { rate: name } }];
          memory.keep('acc_1', `${at}`, { items, keptAt: 0, endsAt: Infinity, bytes: 1_000 });
        }
        return memory;
      };
      const name = 'Volkswagen Golf 7';
      expect(keptOf().find('acc_1', '7')?.items).toEqual([{ vehicle: { name }, supplierRef: { rate: name } }]);
      // 200 sources have 12 MB.
      expect(heapOf(keptOf)).toBeLessThan(3_000_000);
    },
  );

  it('are all forgotten when the memory is cleared', () => {
    const memory = new AnswerMemory<string>(100_000);
    memory.keep('acc_1', 'BOS', answer('one'));
    memory.clear();
    expect([found(memory, 'acc_1', 'BOS'), memory.bytes]).toEqual([undefined, 0]);
  });
});
