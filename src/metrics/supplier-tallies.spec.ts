import { describe, expect, it } from '@jest/globals';
import { SupplierTallies, TALLY_BOUNDS_MS } from './supplier-tallies.js';

const of = (application: string | undefined = 'app_a', operation = 'searchVehicles') => ({
  supplier: 'bravo',
  operation,
  application,
});
const MINUTE_MS = 60_000;

describe('SupplierTallies', () => {
  it('adds up calls of a minute by outcome and bucket, and starts over when they were taken', () => {
    const tallies = new SupplierTallies();
    for (const ms of [0, 10, 10.1, 8_000, 8_001]) tallies.call(of(), 'answered', false, 5, ms);
    tallies.call(of(), 'timeout', true, MINUTE_MS, 1);
    const { calls, applications } = tallies.take();
    expect(calls.map(({ cause, minute }) => [cause, minute])).toEqual([
      ['answered', 0],
      ['timeout', 1],
    ]);
    const buckets = new Array(TALLY_BOUNDS_MS.length + 1).fill(0);
    [buckets[0], buckets[1], buckets[15], buckets[16]] = [2, 1, 1, 1];
    expect(calls[0]?.buckets).toEqual(buckets);
    expect(applications.map(({ application, cause, minute, calls: own }) => [application, cause, minute, own])).toEqual(
      [
        ['app_a', 'answered', 0, 5],
        ['app_a', 'timeout', 1, 1],
      ],
    );
    expect(tallies.take()).toEqual({ calls: [], applications: [], measures: [] });
  });

  it('counts failures of 50 applications each by itself, and the others together, without losing any', () => {
    const tallies = new SupplierTallies();
    for (let number = 0; number < 100; number += 1) tallies.call(of(`app_well_${number}`), 'empty', false, 0, 1);
    for (let number = 0; number < 200; number += 1) tallies.call(of(`app_${number}`), 'timeout', true, 0, 1);
    tallies.call(of('app_0'), 'timeout', true, 0, 1);
    tallies.call(of('app_199', 'book'), 'timeout', true, 0, 1);
    // Applications without failures must not push those with failures out.
    const { applications } = tallies.take();
    const failures = applications.filter(({ cause }) => cause !== 'empty');
    expect(failures).toHaveLength(52);
    expect(failures.find(({ application }) => application === 'app_0')?.calls).toBe(2);
    expect(failures.filter(({ application }) => application === '').map(({ calls }) => calls)).toEqual([150]);
  });

  it('counts requests that the gateway answered apart from suppliers, for no application', () => {
    const tallies = new SupplierTallies();
    for (const ms of [5, 900]) tallies.answer(0, ms);
    const { calls, applications } = tallies.take();
    expect(calls.map(({ supplier, buckets }) => [supplier, buckets[0], buckets[11]])).toEqual([['', 1, 1]]);
    expect(applications).toEqual([]);
  });

  it('keeps means as count and sum', () => {
    const tallies = new SupplierTallies();
    for (const value of [1, 3]) tallies.measure('bravo', 'price_level', value, 0);
    tallies.measure('', 'loop_lag', 12, 0, 5);
    expect(tallies.take().measures).toMatchObject([
      { supplier: 'bravo', count: 2, sum: 4 },
      { supplier: '', measure: 'loop_lag', count: 5, sum: 12 },
    ]);
  });

  it('is bounded while nothing is written: it keeps the last two hours', () => {
    const tallies = new SupplierTallies();
    for (let minute = 0; minute < 300; minute += 1) tallies.call(of(), 'answered', false, minute * MINUTE_MS, 1);
    const minutes = tallies.take().calls.map(({ minute }) => minute);
    expect([minutes.length, minutes[0], minutes.at(-1)]).toEqual([120, 180, 299]);
  });
});
