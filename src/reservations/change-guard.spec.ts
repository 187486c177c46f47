import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../status/api-error.js';
import { holdIfMatch, notChangeable } from './change-guard.js';
import { reservationIn } from './fixtures/sample-reservation.js';
import { STATES } from './states.js';

function problem(run: () => void) {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, ...error.problems[0] };
    throw error;
  }
  return undefined;
}

describe('If-Match', () => {
  const reservation = reservationIn('confirmed');

  it.each([undefined, '"2"', '*', '"1", "2"', '"1","2","3"', ' "2" '])('%s holds for version 2', (ifMatch) => {
    expect(problem(() => holdIfMatch(ifMatch, reservation))).toBeUndefined();
  });

  it.each(['2', 'W/"2"', '', '""', '"x"'])('%j is told that it is no ETag of ours', (ifMatch) => {
    expect(problem(() => holdIfMatch(ifMatch, reservation))).toMatchObject({ status: 400, field: 'If-Match' });
    expect(problem(() => holdIfMatch(ifMatch, reservation))?.details).toContain('with its quotes');
  });

  it.each(['"1"', '"3"', '"22"', '"1", "3"'])('%j does not', (ifMatch) => {
    expect(problem(() => holdIfMatch(ifMatch, reservation))).toMatchObject({
      status: 400,
      cause: 'version_mismatch',
      field: 'If-Match',
    });
  });
});

describe('a reservation that cannot be changed', () => {
  it.each(STATES.filter((state) => state !== 'confirmed'))('%s is told with its reason', (state) => {
    const told = problem(() => notChangeable(reservationIn(state)));
    expect(told).toMatchObject({ status: 400, cause: 'not_changeable', supplier: 'uno' });
    const final = ['cancelled', 'rejected', 'failed', 'expired', 'completed', 'no_show'].includes(state);
    expect(told?.details).toMatch(final ? `"${state}": that is final` : new RegExp(`"${state}": (?!that is final)`));
  });
});
