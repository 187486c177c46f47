import { describe, expect, it } from '@jest/globals';
import { decodeSipp } from '../model/acriss.js';
import { fleetOf } from './fleet.js';
import { FLEET_MODELS } from './fleet-models.js';
import { createInventory } from './inventory.js';

const inventory = createInventory({ brand: 'Avis', seed: 1 });

function fleet(code: string, seed = 1) {
  const location = inventory.locationByCode(code);
  if (!location) throw new Error(`no location ${code}`);
  return fleetOf(location, seed);
}

const DOORS: Readonly<Record<string, readonly number[]>> = {
  B: [2, 3],
  C: [2, 4, 3],
  D: [4, 5],
  W: [5],
  F: [5],
  G: [5],
  T: [2],
  S: [2],
  N: [2],
  P: [2],
  Q: [4],
};
const FUELS: Readonly<Record<string, readonly string[]>> = {
  R: ['petrol'],
  N: ['petrol'],
  D: ['diesel'],
  H: ['hybrid'],
  I: ['hybrid'],
  E: ['electric'],
  C: ['electric'],
};

describe('FLEET_MODELS', () => {
  it('has at least 40 models', () => {
    expect(FLEET_MODELS.length).toBeGreaterThanOrEqual(40);
  });

  it.each(FLEET_MODELS)('%s %s %s matches its SIPP code', (sippCode, _make, _model, fuel, seats, doors) => {
    const { category, type } = decodeSipp(sippCode) ?? {};
    const [, typeLetter = '', , fuelLetter = ''] = sippCode;
    expect([category, type]).not.toContain(null);
    expect(FUELS[fuelLetter]).toContain(fuel);
    if (DOORS[typeLetter]) expect(DOORS[typeLetter]).toContain(doors);
    if (category?.startsWith('seats_')) expect(seats).toBeGreaterThanOrEqual(Number(category.split('_')[1]));
  });
});

describe('fleetOf', () => {
  it('has the requested number of cars and one on request, of those that it would have otherwise, in the same order', () => {
    const location = inventory.locationByCode('BOS');
    if (!location) throw new Error('no location BOS');
    const all = fleetOf(location, 1);
    const few = fleetOf(location, 1, 10);
    expect(few.length).toBeGreaterThanOrEqual(10);
    expect(few.length).toBeLessThanOrEqual(11);
    expect(all.filter((car) => few.includes(car))).toEqual(few);
    expect(fleetOf(location, 1, 1_000)).toEqual(all);
  });

  it.each(['BOS', 'FRA', 'NRT', 'GRU', 'ZZT404'])(
    'has at least 33 cars at %s with unique SIPP and class codes',
    (code) => {
      const cars = fleet(code).map(({ car }) => car);
      expect(cars.length).toBeGreaterThanOrEqual(33);
      expect(new Set(cars.map(({ sippCode }) => sippCode)).size).toBe(cars.length);
      expect(new Set(cars.map(({ classCode }) => classCode)).size).toBe(cars.length);
      expect(cars.every(({ classCode, className }) => /^[A-Z]{1,2}$/.test(classCode) && className !== '')).toBe(true);
    },
  );

  it('has automatics in the United States and mostly manual small cars in Europe', () => {
    const manual = (code: string) => fleet(code).filter(({ car }) => car.transmission === 'manual').length;
    expect(manual('BOS')).toBe(0);
    expect(manual('FRA')).toBeGreaterThan(10);
  });

  it('differs between brands', () => {
    const names = (seed: number) => fleet('FRA', seed).map(({ car }) => `${car.sippCode}${car.onRequest}`);
    expect(names(1)).not.toEqual(names(2));
  });

  it('names classes like rental locations do', () => {
    const name = (code: string, sipp: string) =>
      [1, 2, 3, 4, 5].flatMap((seed) => fleet(code, seed)).find(({ car }) => car.sippCode === sipp)?.car.className;
    expect(name('FRA', 'EDMR')).toBe('Economy');
    expect(name('FRA', 'HDAE')).toBe('Economy Elite Electric');
    expect(name('BOS', 'IFAR')).toBe('Intermediate SUV Automatic');
    expect(name('FRA', 'LVMD')).toBe('Passenger Van 9 Seats');
  });
});
