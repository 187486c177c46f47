import { describe, expect, it } from '@jest/globals';
import { editDistance, isWithinEdits, nearest } from './nearest.js';

describe('the nearest name', () => {
  it.each([
    ['pikup_location', 'pickup_location'],
    ['PICKUP_LOCATION', 'pickup_location'],
    ['brand', 'brands'],
    ['x'.repeat(64), undefined],
    [`pickup_location${'x'.repeat(1_000)}`, undefined],
  ])('to %s is %s', (name, expected) => {
    expect(nearest(name, ['pickup_location', 'dropoff_location', 'brands'])).toBe(expected);
  });
});

describe('whether two words are within some edits', () => {
  it.each([0, 1, 2, 3])('is what their distance says (%d)', (most) => {
    const words = [
      '',
      'a',
      'boston',
      'bostn',
      'bsotn',
      'obston',
      'bostonian',
      'zoston',
      'bostom',
      'tonbos',
      'b',
      'ston',
    ];
    for (const a of words)
      for (const b of words) expect([a, b, isWithinEdits(a, b, most)]).toEqual([a, b, editDistance(a, b) <= most]);
  });

  it('takes time in proportion to their length', () => {
    const a = `${'ab'.repeat(50_000)}cc`;
    expect(isWithinEdits(a, `${'ab'.repeat(50_000)}dc`, 2)).toBe(true);
    expect(isWithinEdits(a, 'ba'.repeat(50_001), 2)).toBe(false);
  });
});
