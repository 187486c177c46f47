import { describe, expect, it } from '@jest/globals';
import { shareOf } from './canary-share.js';

const QUESTIONS = Array.from({ length: 10_000 }, (_, index) => JSON.stringify(['BOS', 'BOS', `day ${index}`]));
const within = (percent: number, application = 'app_a', supplier = 'uno'): readonly string[] =>
  QUESTIONS.filter((question) => shareOf(application, () => question)(supplier, percent));

describe('the share of a supplier in canary', () => {
  it('is what was asked for, of 10,000 questions', () => {
    // Computed from the definition with another program.
    expect([1, 10, 50, 99].map((percent) => within(percent).length)).toEqual([100, 983, 5028, 9895]);
  });

  it('keeps those who are in it when it grows', () => {
    const [small, large] = [within(10), new Set(within(25))];
    expect(small.filter((question) => !large.has(question))).toEqual([]);
  });

  it('is another one for each supplier and application', () => {
    const own = new Set(within(10));
    const shared = [within(10, 'app_b'), within(10, 'app_a', 'due')].map(
      (others) => others.filter((question) => own.has(question)).length,
    );
    // One percent of 10,000 by chance, and four standard deviations.
    for (const count of shared) expect(Math.abs(count - 100)).toBeLessThan(40);
  });

  it('asks for the question only if it is needed', () => {
    let asked = 0;
    const inShare = shareOf('app_a', () => {
      asked += 1;
      return 'BOS';
    });
    expect(asked).toBe(0);
    expect([inShare('uno', 0), asked]).toEqual([false, 1]);
  });
});
