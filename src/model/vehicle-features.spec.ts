import { describe, expect, it } from '@jest/globals';
import type { Vehicle } from './offers.js';
import { contradictionsOf, fuelOf, transmissionOf } from './vehicle-features.js';

const car = (own: Partial<Vehicle>): Vehicle => ({ name: 'Car', orSimilar: true, ...own });

describe('transmission', () => {
  it.each<[string, Partial<Vehicle>, string | undefined]>([
    ['unknown without any source', {}, undefined],
    ['as stated', { transmission: 'manual' }, 'manual'],
    ['by the SIPP code', { sippCode: 'ECAR' }, 'automatic'],
    ['by the name', { name: 'VW Golf Automatic' }, 'automatic'],
    ['by all sources that agree', { sippCode: 'ECMR', transmission: 'manual', name: 'Golf manual' }, 'manual'],
    ['unknown if the SIPP code contradicts it', { sippCode: 'ECAR', transmission: 'manual' }, undefined],
    ['unknown if the name contradicts the SIPP code', { sippCode: 'ECAR', name: 'VW Golf Manual' }, undefined],
    ['as stated if the letter is unknown', { sippCode: 'ECXR', transmission: 'manual' }, 'manual'],
  ])('is %s', (_name, own, transmission) => {
    expect(transmissionOf(car(own))).toBe(transmission);
  });
});

describe('fuel', () => {
  it.each<[string, Partial<Vehicle>, string | undefined]>([
    ['as stated', { fuel: 'Diesel' }, 'diesel'],
    ['by the SIPP code', { sippCode: 'ECMD' }, 'diesel'],
    ['unknown if the SIPP code contradicts it', { sippCode: 'ECMD', fuel: 'petrol' }, undefined],
    ['as stated if the SIPP code leaves it open', { sippCode: 'ECMR', fuel: 'petrol' }, 'petrol'],
    ['as stated if both may be true', { sippCode: 'ECAI', fuel: 'hybrid' }, 'hybrid'],
  ])('is %s', (_name, own, fuel) => {
    expect(fuelOf(car(own))).toBe(fuel);
  });
});

it('a contradiction names its sources and values', () => {
  expect(contradictionsOf(car({ sippCode: 'ECAD', transmission: 'manual', fuel: 'electric' }))).toEqual([
    'Car: transmission manual, SIPP code automatic',
    'Car: fuel electric, SIPP code diesel',
  ]);
  expect(contradictionsOf(car({ sippCode: 'ECMD', transmission: 'manual', fuel: 'diesel' }))).toEqual([]);
});
