import { describe, expect, it } from '@jest/globals';
import { RetryBudget } from './retry-budget.js';

function repeated(budget: RetryBudget, calls: number): number {
  let count = 0;
  for (let call = 0; call < calls; call += 1) {
    budget.deposit();
    if (budget.withdraw()) count += 1;
  }
  return count;
}

describe('RetryBudget', () => {
  it.each([
    [0.2, 1_000, 201],
    [0.1, 1_000, 100],
    [0, 1_000, 0],
  ])('with a share of %d, of %i failing calls at most %i are retried', (share, calls, most) => {
    const count = repeated(new RetryBudget(share), calls);
    expect(count).toBeLessThanOrEqual(most);
    expect(count).toBeGreaterThanOrEqual(Math.floor(calls * share));
  });

  it('permits one retry from the start', () => {
    expect(repeated(new RetryBudget(0.2), 1)).toBe(1);
  });

  it('saves up the share of at most fifty calls', () => {
    const budget = new RetryBudget(0.2);
    for (let call = 0; call < 100_000; call += 1) budget.deposit();
    let count = 0;
    while (budget.withdraw()) count += 1;
    expect(count).toBe(10);
  });
});
