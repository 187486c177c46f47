import { expect, it } from '@jest/globals';
import { coverageOf, extraType } from './option-codes.js';

it.each(['constructor', '__proto__', 'toString', 'ZZZ'])('an unknown code, even %s, is "other"', (code) => {
  expect(extraType(code)).toBe('other');
  expect(coverageOf(code)).toEqual({ type: 'other', name: code });
});

it('known codes have their types', () => {
  expect([extraType('GPS'), coverageOf('LDW').type]).toEqual(['navigation', 'loss_damage_waiver']);
});
