import { describe, expect, it } from '@jest/globals';
import { chanceOf, createStream, hashText, wholeOf } from './random.js';

describe('hashText, chanceOf and wholeOf', () => {
  it('is the same for the same seed and name on every machine', () => {
    expect([hashText(1, ''), hashText(1, 'BOS'), hashText(2, 'BOS')]).toEqual([
      hashText(1, ''),
      hashText(1, 'BOS'),
      hashText(2, 'BOS'),
    ]);
    expect(new Set([hashText(1, ''), hashText(1, 'BOS'), hashText(2, 'BOS'), hashText(1, 'BOT')]).size).toBe(4);
  });

  it('is spread evenly over similar names', () => {
    const tenths = new Array<number>(10).fill(0);
    for (let index = 0; index < 10_000; index += 1) {
      const tenth = Math.floor(chanceOf(7, `car ${index}`) * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(Math.min(...tenths)).toBeGreaterThan(850);
    expect(Math.max(...tenths)).toBeLessThan(1_150);
  });

  it('give integers within their bounds', () => {
    const seen = new Set(Array.from({ length: 200 }, (_, index) => wholeOf(3, `${index}`, 1, 3)));
    expect([...seen].sort()).toEqual([1, 2, 3]);
  });
});

describe('createStream', () => {
  it('is deterministic by seed, stays in [0, 1) and averages one half', () => {
    const [first, again] = [createStream(42), createStream(42)];
    const drawn = Array.from({ length: 5_000 }, first);
    expect(drawn.every((value) => value >= 0 && value < 1 && value === again())).toBe(true);
    expect(Math.abs(drawn.reduce((sum, value) => sum + value, 0) / 5_000 - 0.5)).toBeLessThan(0.02);
  });
});
