import { describe, expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { PageTurns } from './page-turns.js';

/** Blocks the event loop. */
function work(ms: number): void {
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
}

describe('the turns of pages', () => {
  claim('API4', 'A flood of pages leaves the event loop to other requests every 8 ms.', async () => {
    const turns = new PageTurns();
    const done = Promise.all(Array.from({ length: 60 }, () => turns.take('one').then(() => work(4))));
    const startedAt = performance.now();
    let [longest, lastMs, isOver] = [0, startedAt, false];
    void done.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      longest = Math.max(longest, performance.now() - lastMs);
      lastMs = performance.now();
    }
    // Twenty turns of three pages; the machine may pause.
    expect(longest).toBeLessThan((performance.now() - startedAt) / 3);
  });

  it('serve callers in rotation', async () => {
    const turns = new PageTurns();
    const order: string[] = [];
    const callers = [...'aaaaaaaaab'];
    await Promise.all(callers.map((caller) => turns.take(caller).then(() => order.push(caller))));
    expect(order.indexOf('b')).toBeLessThan(2);
    expect(order).toHaveLength(10);
  });
});
