import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { RequestTurns } from './request-turns.js';

it('begins at most 32 requests in one turn of the event loop, in order of arrival', async () => {
  const turns = new RequestTurns();
  const begun: number[] = [];
  const enter = (first: number, count: number): void => {
    for (let number = first; number < first + count; number += 1) turns.enter(() => begun.push(number));
  };
  enter(0, 70);
  expect(begun.length).toBe(32);
  await nextTurn();
  expect(begun.length).toBe(64);
  enter(70, 30);
  expect(begun.length).toBe(64);
  await nextTurn();
  expect(begun.length).toBe(96);
  await nextTurn();
  await nextTurn();
  enter(100, 1);
  expect(begun).toEqual(Array.from({ length: 101 }, (_, number) => number));
});
