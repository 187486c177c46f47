import { describe, expect, it } from '@jest/globals';
import type { SupplierLocation } from '../model/locations.js';
import { nearestCity, nearOf, withinReach } from './reach.js';

const LOGAN = { latitude: 42.36, longitude: -71.01 };
const near = (radiusKm: number) => ({ ...LOGAN, radiusKm });

function counter(code: string, more: Partial<SupplierLocation> = {}): SupplierLocation {
  return {
    brand: 'Brand',
    code,
    codeContext: 'supplier',
    name: code,
    type: 'downtown',
    address: { countryCode: 'US' },
    public: true,
    ...more,
  } as SupplierLocation;
}

describe('the circle of a query', () => {
  it('is 50 km around its point by default; without a point there is none', () => {
    expect(nearOf(LOGAN)).toEqual(near(50));
    expect(nearOf({ ...LOGAN, radius_km: 7 })).toEqual(near(7));
    expect(nearOf({ keyword: 'boston' })).toBeUndefined();
  });
});

describe('the city of a point', () => {
  it('is that of the nearest airport; large airports count as nearer', () => {
    expect(nearestCity({ latitude: 48.86, longitude: 2.35, radiusKm: 5 })).toBe('Paris');
    // At Essendon Fields, 9 km from the large airport.
    expect(nearestCity({ latitude: -37.7281, longitude: 144.902, radiusKm: 5 })).toBe('Melbourne');
  });
});

describe('the locations of a supplier within reach', () => {
  it('are those open to the public and inside the circle, with their distance from the point', () => {
    const found = withinReach(
      'uno',
      2,
      [
        counter('AT', LOGAN),
        counter('NEAR', { latitude: 42.4, longitude: -71.0 }),
        counter('FAR', { latitude: 43.4, longitude: -71.0 }),
        counter('NOWHERE'),
        counter('CLOSED', { ...LOGAN, public: false }),
      ],
      near(10),
    );
    expect(found.map(({ location }) => location.code)).toEqual(['AT', 'NEAR']);
    expect(found[0]).toMatchObject({ supplier: 'uno', supplierIndex: 2, distanceKm: 0 });
    expect(found[1]?.distanceKm).toBeCloseTo(4.5, 0);
  });

  it('are all public ones without a distance if there is no point', () => {
    const found = withinReach('uno', 0, [counter('NOWHERE'), counter('CLOSED', { public: false })], undefined);
    expect(found).toEqual([{ supplier: 'uno', supplierIndex: 0, location: counter('NOWHERE') }]);
  });
});
