import { describe, expect, it } from '@jest/globals';
import type { UsagePoint } from '../../records/usage-reader.js';
import { pricesIn, searchesIn, usageView } from './usage-totals.js';

const point = (operation: string, status: number, calls: number, more: Partial<UsagePoint> = {}): UsagePoint => ({
  at: 0,
  operation,
  status,
  calls,
  durationMs: calls * 10,
  ...more,
});

describe('usageView', () => {
  it('assigns every status to one kind, so the kinds add up to the calls', () => {
    const statuses = [200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 408, 429, 499, 500, 503];
    const { total } = usageView(statuses.map((status) => point('searchVehicles', status, 1)));
    expect(total).toMatchObject({ calls: 15, complete: 5, partial: 1, refused: 6, limited: 1, failed: 2 });
  });

  it('computes the 206 share of answered searches, if there were any', () => {
    const points = [
      point('searchVehicles', 200, 3),
      point('searchLocations', 206, 1),
      point('searchVehicles', 404, 50),
      point('getAccessToken', 200, 9),
    ];
    expect(usageView(points).total.partialShare).toBe(0.25);
    expect(usageView([point('getAccessToken', 200, 9)]).total.partialShare).toBeUndefined();
  });

  it('weights the mean by calls, in total and in each step', () => {
    const { total, steps } = usageView([
      point('searchVehicles', 200, 1, { durationMs: 100 }),
      point('searchVehicles', 200, 3, { at: 60, durationMs: 60 }),
    ]);
    expect([total.meanMs, steps.map(({ meanMs }) => meanMs)]).toEqual([40, [100, 20]]);
    expect(usageView([]).total).toMatchObject({ calls: 0, meanMs: 0 });
  });

  it('counts availability searches and prices that were answered, for the funnel', () => {
    const points = [
      ...[200, 206, 404, 429].map((status) => point('searchVehicles', status, 10)),
      point('searchVehiclesByBody', 200, 1),
      point('searchLocations', 200, 100),
      ...[200, 404, 500].map((status) => point('priceOffer', status, 2)),
    ];
    expect([searchesIn(points), pricesIn(points)]).toEqual([21, 2]);
  });
});
