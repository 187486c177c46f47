import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../status/api-error.js';
import {
  checkIfMatch,
  MOST_ROWS_BEFORE_CHANGE,
  notChangeable,
  refuseEndlessChanges,
  refuseUnlessConfirmed,
} from './change-guard.js';
import { reservationIn, sampleRental } from './fixtures/sample-reservation.js';
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

  it.each([undefined, '"2"', 'W/"2"', '*', '"1", "2"', '"1","2","3"', '"1", W/"2"', ' "2" '])(
    '%s matches version 2',
    (ifMatch) => {
      expect(problem(() => checkIfMatch(ifMatch, reservation))).toBeUndefined();
    },
  );

  it.each(['2', 'w/"2"', 'W/2', '', '""', '"x"'])('%j is rejected as malformed', (ifMatch) => {
    expect(problem(() => checkIfMatch(ifMatch, reservation))).toMatchObject({ status: 400, field: 'If-Match' });
    expect(problem(() => checkIfMatch(ifMatch, reservation))?.details).toContain('including the quotes');
  });

  it.each(['"1"', '"3"', '"22"', '"1", "3"'])('%j does not match version 2', (ifMatch) => {
    expect(problem(() => checkIfMatch(ifMatch, reservation))).toMatchObject({
      status: 400,
      cause: 'version_mismatch',
      field: 'If-Match',
    });
  });
});

describe('a reservation that cannot be changed', () => {
  it.each(STATES.filter((state) => state !== 'confirmed'))('%s is rejected with an explanation', (state) => {
    const rejection = problem(() => notChangeable(reservationIn(state)));
    expect(rejection).toMatchObject({ status: 400, cause: 'not_changeable', supplier: 'uno' });
    const final = ['cancelled', 'rejected', 'failed', 'expired', 'completed', 'no_show'].includes(state);
    expect(rejection?.details).toMatch(
      final ? `"${state}": this state is final` : new RegExp(`"${state}": (?!this state is final)`),
    );
  });
});

it('a history of at most 200 entries can be followed by a change; beyond that, the refusal says what is still possible', () => {
  const after = (version: number) => problem(() => refuseEndlessChanges({ ...reservationIn('confirmed'), version }));
  expect(MOST_ROWS_BEFORE_CHANGE).toBe(200);
  expect(after(200)).toBeUndefined();
  expect(after(201)).toMatchObject({
    status: 400,
    reason: 'invalid_request',
    cause: 'too_many_changes',
    supplier: 'uno',
  });
  expect(after(201)?.details).toContain('has 201 entries, and only a reservation with at most 200 can be changed');
  expect(after(201)?.details).toContain('You can still read and cancel it.');
});

it('a rental can be changed and cancelled until a week after its end: its number may belong to another renter then', () => {
  const ended = Date.parse(`${sampleRental.dropoffDate}Z`);
  const reservation = reservationIn('confirmed', { confirmationNumber: 'CN1' });
  const at = (days: number) => problem(() => refuseUnlessConfirmed(reservation, ended + days * 86_400_000));
  expect([at(-1), at(7)]).toEqual([undefined, undefined]);
  expect(at(7.1)).toMatchObject({ status: 400, cause: 'not_changeable', details: expect.stringContaining('7 days') });
});

it('only a reservation that was being changed is reported as booked while its outcome is unknown', () => {
  const details = (one: Parameters<typeof notChangeable>[0]) => problem(() => notChangeable(one))?.details;
  const numbered = reservationIn('unknown', { confirmationNumber: 'CN1' });
  const change = { from: 'confirmed', to: 'modify_pending', at: 1, actor: 'application', reason: 'x' } as const;
  expect(details(numbered)).toContain('it is not yet known whether it is booked');
  expect(details({ ...numbered, history: [...numbered.history, change] })).toContain('it is booked as CN1');
});
