import { expect, it } from '@jest/globals';
import { heapOf } from '../../../test/support/heap.js';
import { shortened } from './text-room.js';

it('a text that is cut does not keep the rest in memory', () => {
  const rest = ' and so on'.repeat(10_000);
  const cut = (_: unknown, at: number): string => shortened(`the terms of car ${at}${rest}`, 30);
  expect(cut(undefined, 7)).toBe('the terms of car 7 and so on …');
  // 200 texts have 20 MB.
  expect(heapOf(() => Array.from({ length: 200 }, cut))).toBeLessThan(3_000_000);
});
