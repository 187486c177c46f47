import { describe, expect, it } from '@jest/globals';
import { createInventory } from './inventory.js';
import type { SimulatedLocation } from './world.js';

const inventory = createInventory({ brand: 'Avis', seed: 1 });

function at(code: string): SimulatedLocation {
  const found = inventory.locationByCode(code);
  if (!found) throw new Error(`no location ${code}`);
  return found;
}

function coverages(code: string) {
  const pickup = at(code);
  const [offer] = inventory.carsFor({
    pickup,
    dropoff: pickup,
    pickupDate: '2027-05-10T10:00:00',
    dropoffDate: '2027-05-14T10:00:00',
    age: 35,
  });
  if (!offer) throw new Error('no cars');
  return inventory.coverages(pickup, offer.car);
}

describe('coverages', () => {
  it('are included in the rate outside the United States, with an excess that super cover removes', () => {
    const covers = coverages('FRA');
    expect(covers.filter(({ included }) => included).map(({ abgCode, perDay }) => [abgCode, perDay])).toEqual([
      ['CDW', 0],
      ['TP', 0],
      ['LI', 0],
    ]);
    expect(covers.find(({ abgCode }) => abgCode === 'CDW')?.excess).toBeGreaterThan(0);
    expect(covers.find(({ abgCode }) => abgCode === 'SCDW')).toMatchObject({
      coverageType: 40,
      excess: 0,
      included: false,
    });
  });

  it('are sold by the day in the United States', () => {
    expect(coverages('BOS').every(({ included, perDay }) => !included && perDay > 0)).toBe(true);
    expect(coverages('BOS').map(({ coverageType }) => coverageType)).toEqual([24, 27, 32, 35]);
  });
});

describe('extras', () => {
  it('have both codes, a daily price and a cap', () => {
    const extras = inventory.extras(at('BOS'));
    expect(extras.map(({ abgCode, equipType }) => `${abgCode} ${equipType}`)).toEqual([
      'CIS 7',
      'CSS 8',
      'CBS 9',
      'GPS 13',
      'ADD 67',
      'WFI 55',
    ]);
    expect(extras[0]).toMatchObject({ name: 'Infant seat', perDay: 1_300, maxPerRental: 9_100, maxQuantity: 3 });
  });

  it('are priced in the local currency, and include snow equipment where it snows', () => {
    expect(inventory.extras(at('NRT'))[0]?.perDay).toBe(1_950);
    expect(inventory.extras(at('OSL')).map(({ abgCode }) => abgCode)).toEqual(expect.arrayContaining(['SNC', 'SKR']));
  });
});
