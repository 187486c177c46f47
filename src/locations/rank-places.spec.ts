import { describe, expect, it } from '@jest/globals';
import type { SupplierLocation } from '../model/locations.js';
import type { Candidate } from './rank.js';
import { type PlaceAim, rankPlaces } from './rank-places.js';

const LONDON = { latitude: 51.51, longitude: -0.13 };

function at(supplierIndex: number, code: string, more: Partial<SupplierLocation> = {}): Candidate {
  const isAirport = /^[A-Z]{3}$/.test(code);
  const location: SupplierLocation = {
    brand: `Brand ${supplierIndex}`,
    code,
    codeContext: 'supplier',
    ...(isAirport ? { iataCode: code } : {}),
    name: `${code} counter`,
    type: isAirport ? 'airport' : 'downtown',
    address: { lines: [], city: 'London', countryCode: 'GB' },
    ...LONDON,
    openingHours: [],
    specialHours: [],
    services: [],
    public: true,
    ...more,
  };
  return { supplier: `s${supplierIndex}`, supplierIndex, location };
}

const shown = async (candidates: readonly Candidate[], aim: Omit<PlaceAim, 'account'>) =>
  (await rankPlaces(candidates, { ...aim, account: 'acc_a' }, 3, new Map())).map(({ candidate, samePlace }) =>
    [candidate, ...samePlace].map(({ supplier, location }) => `${supplier} ${location.code}`),
  );

describe('the best locations', () => {
  const aim = { keyword: 'London', position: LONDON };

  it('are at three different places, the busiest airport first, each with the others there', async () => {
    const all = [0, 1, 2].flatMap((supplier) => ['LCY', 'LGW', 'LHR', 'LTN'].map((code) => at(supplier, code)));
    expect(await shown(all, aim)).toEqual([
      ['s0 LHR', 's1 LHR', 's2 LHR'],
      ['s0 LGW', 's1 LGW', 's2 LGW'],
      ['s0 LTN', 's1 LTN', 's2 LTN'],
    ]);
  });

  it('are further ones at the same places if there are fewer', async () => {
    expect(await shown([at(0, 'LHR'), at(1, 'LHR'), at(1, 'DT1')], aim)).toEqual([
      ['s0 LHR', 's1 LHR'],
      ['s1 DT1'],
      ['s1 LHR', 's0 LHR'],
    ]);
  });

  it('of a code are all at its place, before any other', async () => {
    const all = [at(0, 'LHR'), at(1, 'LHR'), at(0, 'LGW', { name: 'lhr road' }), at(2, 'LHR')];
    expect((await shown(all, { keyword: 'LHR', position: LONDON })).map(([first]) => first)).toEqual([
      's0 LHR',
      's1 LHR',
      's2 LHR',
    ]);
  });

  it('near the place that is meant come before others of the same name', async () => {
    const ontario = { latitude: 42.98, longitude: -81.25 };
    const all = [at(0, 'YXU', ontario), at(0, 'DT1')];
    expect(await shown(all, aim)).toEqual([['s0 DT1'], ['s0 YXU']]);
    expect(await shown(all, { keyword: 'London', position: ontario })).toEqual([['s0 YXU'], ['s0 DT1']]);
  });

  it('without a keyword keep the order of their distance', async () => {
    const far = (candidate: Candidate, distanceKm: number) => ({ ...candidate, distanceKm });
    const all = [far(at(0, 'LHR'), 20), far(at(1, 'LCY'), 5), far(at(0, 'LCY'), 5)];
    expect(await shown(all, { keyword: undefined })).toEqual([['s0 LCY', 's1 LCY'], ['s0 LHR'], ['s1 LCY', 's0 LCY']]);
  });
});
