import { expect, it } from '@jest/globals';
import { metrics } from './metrics.js';
import { type CallVerdict, type Objective, SloCounts, sloCounts } from './slo-counts.js';

const own = (slo: Objective['slo']): Objective => ({ slo, supplier: '', target: 0.999, windowDays: 30 });
const OWN = [own('searches'), own('bookings'), own('tokens')];
const BRAVO: readonly Objective[] = [
  { slo: 'supplier_availability', supplier: 'bravo', target: 0.99, windowDays: 30 },
  { slo: 'supplier_latency', supplier: 'bravo', target: 0.95, windowDays: 30, underMs: 2_000 },
];

/** `slo good bad` of each objective with events. */
const shown = (counts: SloCounts) =>
  counts.all.flatMap(({ slo, good, bad }) => (good + bad === 0 ? [] : [`${slo} ${good} ${bad}`]));

it.each([
  ['GET', '/cars/locations/v1', 200, 'searches 1 0'],
  ['GET', '/cars/catalog/v1/vehicles', 206, 'searches 1 0'],
  ['GET', '/cars/catalog/v1/vehicles', 404, 'searches 1 0'],
  ['POST', '/cars/catalog/v1/vehicles/rates', 408, 'searches 0 1'],
  ['POST', '/cars/reservation/v1', 201, 'bookings 1 0'],
  ['DELETE', '/cars/reservation/v1/:reservation_id', 500, 'bookings 0 1'],
  ['POST', '/oauth/token/v1', 503, 'tokens 0 1'],
  ['GET', '/cars/reservation/v1/:reservation_id', 500, undefined],
  ['GET', '/cars/locations/v1', 429, undefined],
  ['POST', '/cars/reservation/v1', 400, undefined],
  ['GET', '/oauth/token/v1', 401, undefined],
  ['GET', '/usage', 500, undefined],
])('%s %s with %p counts as %p', (method, path, status, expected) => {
  const counts = new SloCounts();
  counts.set(OWN);
  counts.request(method, path, status);
  expect(shown(counts)).toEqual(expected === undefined ? [] : [expected]);
});

it.each<[string, string, CallVerdict, number, readonly string[]]>([
  ['searchVehicles', 'answered', 'good', 2_000, ['supplier_availability 1 0', 'supplier_latency 1 0']],
  ['searchVehicles', 'empty', 'good', 2_001, ['supplier_availability 1 0', 'supplier_latency 0 1']],
  ['searchLocations', 'timeout', 'bad', 900, ['supplier_availability 0 1', 'supplier_latency 0 1']],
  ['searchVehicles', 'unavailable', 'bad', 10, ['supplier_availability 0 1']],
  ['searchVehicles', 'throttled', 'none', 10, []],
  ['book', 'answered', 'good', 9_000, ['supplier_availability 1 0']],
])('a %s that is %s (%s) after %p ms counts as %j', (operation, outcome, verdict, ms, expected) => {
  const counts = new SloCounts();
  counts.set(BRAVO);
  counts.call('bravo', operation, outcome, verdict, ms);
  counts.call('unknown', operation, outcome, verdict, ms);
  expect(shown(counts)).toEqual(expected);
});

it('keeps the counts of objectives that are set again, and forgets removed ones', () => {
  const counts = new SloCounts();
  counts.set([...OWN, ...BRAVO]);
  counts.request('GET', '/cars/locations/v1', 500);
  counts.call('bravo', 'book', 'answered', 'good', 5);
  counts.set(OWN.map((objective) => ({ ...objective, target: 0.99 })));
  counts.request('GET', '/cars/locations/v1', 200);
  expect(shown(counts)).toEqual(['searches 1 1']);
  expect(counts.all[0]?.target).toBe(0.99);
  counts.set([...OWN, ...BRAVO]);
  expect(shown(counts)).toEqual(['searches 1 1']);
});

it('are metrics: counters, targets and limits, even before the first event', async () => {
  sloCounts.set([own('searches'), ...BRAVO]);
  sloCounts.call('bravo', 'book', 'unavailable', 'bad', 5);
  const lines = (await metrics.metrics()).split('\n').filter((line) => line.startsWith('forecourt_slo_'));
  expect(lines).toEqual(
    expect.arrayContaining([
      'forecourt_slo_events_total{slo="searches",supplier="",result="bad"} 0',
      'forecourt_slo_events_total{slo="supplier_availability",supplier="bravo",result="bad"} 1',
      'forecourt_slo_target{slo="supplier_latency",supplier="bravo"} 0.95',
    ]),
  );
  const limit = (pair: string) =>
    Number(
      lines
        .find((line) => line.startsWith(`forecourt_slo_burn_limit{slo="searches",supplier="",pair="${pair}"}`))
        ?.split(' ')[1],
    );
  expect([limit('fast'), limit('slow')]).toEqual([expect.closeTo(0.0144, 6), expect.closeTo(0.006, 6)]);
});
