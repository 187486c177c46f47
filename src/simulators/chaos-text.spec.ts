import { describe, expect, it } from '@jest/globals';
import { chaosOf } from './chaos-text.js';

describe('SIMULATOR_CHAOS', () => {
  it('has the shares of faults of each supplier', () => {
    expect(Object.fromEntries(chaosOf('bravo=error:0.2,timeout:0.05; alpine=reset:1'))).toEqual({
      bravo: { errorRate: 0.2, timeoutRate: 0.05 },
      alpine: { resetRate: 1 },
    });
    expect(chaosOf(' ').size).toBe(0);
  });

  it.each([
    ['bravo', 'is not <supplier>=<fault>:<share>'],
    ['bravo=slow:0.2', 'error, timeout, garbage, reset'],
    ['bravo=error:0.2,', 'is not <supplier>'],
    ['bravo=error:1.2.3', 'are more than 1'],
    ['bravo=error:0.7,reset:0.7', 'the shares of bravo are more than 1 together'],
  ])('%s is refused with the reason', (text, reason) => {
    expect(() => chaosOf(text)).toThrow(reason);
  });
});
