import { describe, expect, it } from '@jest/globals';
import type { Operation } from '../model/supplier.js';
import { OPERATIONS } from './case.js';
import { type Check, levelReached } from './levels.js';

/** A check for each operation, passed unless `results` says otherwise. */
function checks(results: Partial<Record<Operation, Check['result']>>): Check[] {
  return OPERATIONS.map((operation) => ({ case: 'shape', operation, result: results[operation] ?? 'passed', ms: 1 }));
}

describe('levelReached', () => {
  it.each<[string, Partial<Record<Operation, Check['result']>>, string | undefined]>([
    ['everything passed', {}, 'gold'],
    ['there is no modify', { modify: 'skipped' }, 'gold'],
    ['a booking cannot be read', { retrieve: 'skipped' }, 'silver'],
    ['a booking cannot be cancelled', { cancel: 'skipped' }, 'silver'],
    ['a price check failed', { priceCheck: 'failed' }, 'bronze'],
    ['no car search ran', { searchVehicles: 'skipped' }, undefined],
    ['a search failed and all higher levels passed', { searchLocations: 'failed' }, undefined],
  ])('%s', (_what, results, level) => {
    expect(levelReached(checks(results))).toBe(level);
  });

  it('drops the level when one of many checks failed', () => {
    const one: Check = { case: 'html', operation: 'book', result: 'failed', ms: 1 };
    expect(levelReached([...checks({}), one])).toBe('silver');
  });

  it('doesn’t reach a level without checks', () => {
    expect(levelReached([])).toBeUndefined();
  });
});
