import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { limitsIn, tiersSchema } from './policy.js';

const rate = { perMinute: 10, burst: 5 };

describe('config/tiers.yaml', () => {
  it('gives the demo applications 600 calls per minute in bursts of 200, or one call per minute', () => {
    const tiers = tiersSchema.parse(parse(readFileSync('config/tiers.yaml', 'utf8')));
    expect(limitsIn(tiers, 'demo', 'demo')).toMatchObject({ application: { perMinute: 600, burst: 200 } });
    expect(limitsIn(tiers, 'demo_throttled', 'demo_throttled')).toMatchObject({
      application: { perMinute: 1, burst: 1 },
    });
    expect(tiers.costs).toEqual({});
  });

  it('limits the concurrent calls in every tier', () => {
    const { tiers } = tiersSchema.parse(parse(readFileSync('config/tiers.yaml', 'utf8')));
    expect([...tiers].filter(([, { concurrent }]) => concurrent === undefined)).toEqual([]);
  });

  it('takes the limit of an application from its tier and that of the account from the tier of the account', () => {
    const tiers = tiersSchema.parse({
      small: { ...rate, perDay: 100, token: { ...rate, concurrent: 2 }, account: { ...rate, burst: 7 } },
      large: { ...rate, account: { ...rate, burst: 70 } },
      bare: rate,
    });
    expect(limitsIn(tiers, 'small', 'large')).toEqual({
      application: { ...rate, perDay: 100 },
      token: { ...rate, concurrent: 2 },
      account: { ...rate, burst: 70 },
    });
    expect(limitsIn(tiers, 'small', 'bare').account).toBeUndefined();
    expect(() => limitsIn(tiers, 'small', 'gone')).toThrow('config/tiers.yaml has no tier "gone"');
  });

  it.each([
    ['a misspelled member', { demo: { ...rate, perday: 5 } }],
    ['a rate of 0', { demo: { perMinute: 0, burst: 5 } }],
    ['a fractional call', { demo: { ...rate, concurrent: 0.5 } }],
    ['an account inside an account', { demo: { ...rate, account: { ...rate, account: rate } } }],
    ['a free product', { demo: rate, costs: { car_availability: 0 } }],
  ])('is rejected with %s', (_case, file) => {
    expect(tiersSchema.safeParse(file).success).toBe(false);
  });
});
