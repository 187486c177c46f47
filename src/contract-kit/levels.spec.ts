import { describe, expect, it } from '@jest/globals';
import type { Operation } from '../model/supplier.js';
import { type Check, levelReached } from './levels.js';

const EVERY: readonly Operation[] = [
  'searchLocations',
  'searchVehicles',
  'priceCheck',
  'book',
  'retrieve',
  'modify',
  'cancel',
];

/** A check of each operation, passed unless told otherwise. */
function checks(results: Partial<Record<Operation, Check['result']>>): Check[] {
  return EVERY.map((operation) => ({ case: 'shape', operation, result: results[operation] ?? 'passed', ms: 1 }));
}

describe('the level that is reached', () => {
  it.each<[string, Partial<Record<Operation, Check['result']>>, string | undefined]>([
    ['everything passed', {}, 'gold'],
    ['there is no modify', { modify: 'skipped' }, 'gold'],
    ['a booking cannot be read', { retrieve: 'skipped' }, 'silver'],
    ['a booking cannot be cancelled', { cancel: 'skipped' }, 'silver'],
    ['a price check failed', { priceCheck: 'failed' }, 'bronze'],
    ['no car search was judged', { searchVehicles: 'skipped' }, undefined],
    ['a search failed and all above passed', { searchLocations: 'failed' }, undefined],
  ])('%s', (_what, results, level) => {
    expect(levelReached(checks(results))).toBe(level);
  });

  it('one failed check among many passed ones is enough to lose it', () => {
    const one: Check = { case: 'html', operation: 'book', result: 'failed', ms: 1 };
    expect(levelReached([...checks({}), one])).toBe('silver');
  });

  it('nothing judged is nothing reached', () => {
    expect(levelReached([])).toBeUndefined();
  });
});
