import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { RequestTurns } from './request-turns.js';

/** Enters `count` requests and returns how many had begun after each turn of the event loop in which any began. */
async function turnsOf(turns: RequestTurns, count: number, work: () => unknown): Promise<readonly number[]> {
  const begun: number[] = [];
  const after: number[] = [];
  for (let number = 0; number < count; number += 1)
    turns.enter(() => {
      begun.push(number);
      // As in a request, the work begins after a promise has resolved.
      void Promise.resolve().then(() => Promise.resolve().then(work));
    });
  for (let turn = 0; begun.length < count && turn < 1_000; turn += 1) {
    if (after.at(-1) !== begun.length) after.push(begun.length);
    await nextTurn();
  }
  expect(begun).toEqual(Array.from({ length: count }, (_, number) => number));
  return [...after, begun.length];
}

it('begins at most 32 requests in one turn of the event loop, in order of arrival', async () => {
  const turns = new RequestTurns(() => 0);
  expect(await turnsOf(turns, 70, () => undefined)).toEqual([32, 64, 70]);
  await nextTurn();
  expect(await turnsOf(turns, 1, () => undefined)).toEqual([1]);
});

claim('API4', 'No further request begins in a turn of the event loop that has worked for 8 ms.', async () => {
  const clock = { ms: 0 };
  const turns = new RequestTurns(() => clock.ms);
  const counts = await turnsOf(turns, 60, () => {
    clock.ms += 5;
  });
  // The first 32 enter together, before any of them worked; then two of 5 ms are 10 ms.
  expect(counts).toEqual([32, ...Array.from({ length: 14 }, (_, turn) => 34 + 2 * turn)]);
});
