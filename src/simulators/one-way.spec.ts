import { describe, expect, it } from '@jest/globals';
import { createInventory } from './inventory.js';
import { oneWayDollars } from './one-way.js';

const inventory = createInventory({ brand: 'Avis', seed: 1 });

function dollars(from: string, to: string): number | undefined {
  const [pickup, dropoff] = [inventory.locationByCode(from), inventory.locationByCode(to)];
  if (!pickup || !dropoff) throw new Error('no such location');
  return oneWayDollars(pickup, dropoff);
}

describe('oneWayDollars', () => {
  it.each<[string, string, number | undefined, string]>([
    ['JFK', 'JFK', 0, 'the same location'],
    ['JFK', 'LGA', 0, 'within a city'],
    ['BOS', 'LAX', undefined, 'over 3,000 km'],
    ['BOS', 'YYZ', undefined, 'to another country outside Europe'],
    ['FRA', 'LIS', undefined, 'to a country that is not a neighbor'],
    ['BOS', 'ZZT404', undefined, 'from the real world to the sandbox'],
  ])('%s to %s is %p: %s', (from, to, fee) => {
    expect(dollars(from, to)).toBe(fee);
  });

  it('rises with the distance up to a limit, and is higher across a border', () => {
    const [near, far, farther] = [dollars('BOS', 'JFK') ?? 0, dollars('BOS', 'MIA') ?? 0, dollars('JFK', 'DFW') ?? 0];
    expect([near > 80, far > near, farther <= 900]).toEqual([true, true, true]);
    expect(dollars('FRA', 'CDG')).toBeGreaterThan((dollars('FRA', 'BER') ?? 0) * 1.4);
  });
});
