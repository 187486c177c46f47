import { expect, it } from '@jest/globals';
import type { Vehicle } from '../model/offers.js';
import { offerAt } from '../representations/fixtures/sample-offer.js';
import { applyFilters } from './filter-and-sort.js';
import type { NormalizedSearch } from './normalize-search.js';

/** The names of the cars that pass a filter. */
function passing(cars: readonly Partial<Vehicle>[], filter: Partial<NormalizedSearch>): string[] {
  const outcome = applyFilters(
    {
      supplier: { id: 'a', name: 'a' },
      kind: 'answered',
      items: cars.map((own) => ({ ...offerAt(1), vehicle: { name: '', orSimilar: true, ...own } })),
      durationMs: 1,
      shared: false,
    },
    { sippCodes: [], ...filter } as unknown as NormalizedSearch,
  );
  return outcome.kind === 'answered' ? outcome.items.map(({ vehicle }) => vehicle.name) : [];
}

const cars = [
  { name: 'stated', transmission: 'manual', fuel: 'diesel' },
  { name: 'coded', sippCode: 'ECMD' },
  { name: 'contradictory', sippCode: 'ECAV', transmission: 'manual', fuel: 'diesel' },
  { name: 'unknown' },
] as const;

it('a car matches a filter only on what its supplier states without contradiction', () => {
  expect(passing(cars, { transmission: 'manual' })).toEqual(['stated', 'coded']);
  expect(passing(cars, { transmission: 'automatic' })).toEqual([]);
  expect(passing(cars, { fuel: 'diesel' })).toEqual(['stated', 'coded']);
  expect(passing(cars, { fuel: 'petrol' })).toEqual([]);
  expect(passing(cars, {})).toHaveLength(4);
});
