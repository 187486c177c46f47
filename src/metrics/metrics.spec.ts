import { describe, expect, it } from '@jest/globals';
import { elapsed } from './elapsed.js';
import { metrics, observeCutOff, observeRequest, observeSupplier, showUnclear } from './metrics.js';
import { observeShadow } from './supplier-lifecycle.js';
import { showBreakers } from './supplier-resilience.js';

/** The samples of a metric whose lines contain `labels`, as `name{…} value`. */
const lines = async (name: string, labels = ''): Promise<string[]> =>
  (await metrics.getSingleMetricAsString(name))
    .split('\n')
    .filter((line) => line.startsWith(name) && line.includes(labels));

describe('metrics', () => {
  it('show durations in seconds', async () => {
    observeRequest('/cars/locations/v1', 'GET', 206, 1_500);
    expect(await lines('forecourt_request_seconds', '_sum{route="/cars/locations/v1"')).toEqual([
      expect.stringMatching(/status="206"} 1\.5$/),
    ]);
    // Specs share the metrics: no other one has this supplier.
    observeSupplier('solo', 'book', 'timeout', 250);
    expect(await lines('forecourt_supplier_seconds', '_sum{supplier="solo"')).toEqual([
      expect.stringMatching(/outcome="timeout"} 0\.25$/),
    ]);
    expect(elapsed(performance.now() - 12.345)).toBeCloseTo(12.4, 0);
  });

  it('count aborted calls apart from outcomes', async () => {
    // Other specs of this worker have counted as well.
    observeCutOff('aborted', 'searchVehicles');
    observeCutOff('aborted', 'searchVehicles');
    expect(await lines('forecourt_supplier_cut_off_total', 'supplier="aborted"')).toEqual([
      expect.stringMatching(/ 2$/),
    ]);
    expect(await lines('forecourt_supplier_seconds', 'supplier="aborted"')).toEqual([]);
  });

  it('no longer show a reservation whose outcome is known', async () => {
    const row = { supplier: 'alpine', state: 'unknown', count: 2, ageSeconds: 30 };
    showUnclear([row, { ...row, supplier: 'bravo' }]);
    showUnclear([{ ...row, count: 1 }]);
    expect(await lines('forecourt_reservations_unclear')).toEqual([
      'forecourt_reservations_unclear{supplier="alpine",state="unknown"} 1',
    ]);
    showUnclear([]);
    expect(await lines('forecourt_reservations_unclear_oldest_seconds')).toEqual([]);
  });

  it('show breakers as numbers that grow with the damage, and those of a replaced supplier no longer', async () => {
    const shown = async () => (await lines('forecourt_supplier_breaker_state', 'alpine'))[0]?.at(-1);
    let state: 'closed' | 'half_open' | 'open' = 'closed';
    const hide = showBreakers('alpine', 'book', () => ({ state, applications: 2 }));
    const seen = [await shown()];
    for (state of ['half_open', 'open'] as const) seen.push(await shown());
    expect(seen).toEqual(['0', '1', '2']);
    expect((await lines('forecourt_supplier_breaker_applications', 'alpine'))[0]).toMatch(/ 2$/);
    const hideSuccessor = showBreakers('alpine', 'book', () => ({ state: 'half_open', applications: 1 }));
    hide();
    expect(await shown()).toBe('1');
    hideSuccessor();
    expect(await shown()).toBe('0');
  });

  it('have no ratio for a shadow search with nothing to compare', async () => {
    observeShadow('charlie', 'searchVehicles', { outcome: 'empty', durationMs: 10 });
    expect(await lines('forecourt_shadow_seconds', '_count{supplier="charlie"')).toHaveLength(1);
    expect(await lines('forecourt_shadow_coverage_ratio', 'charlie')).toEqual([]);
    observeShadow('charlie', 'searchVehicles', { outcome: 'answered', durationMs: 10, coverage: 0, priceRatio: 1 });
    expect(await lines('forecourt_shadow_coverage_ratio', '_count{supplier="charlie"')).toHaveLength(1);
  });
});
