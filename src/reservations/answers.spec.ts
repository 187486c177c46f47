import { describe, expect, it, test } from '@jest/globals';
import { createdAnswer, etagOf, notSent, outcomeUnknown, showProblem, showReservation } from './answers.js';
import { MADE_AT, reservationIn } from './fixtures/sample-reservation.js';
import { STATES, type State } from './states.js';

const AT = Date.parse('2027-01-01T09:00:00Z');

/** 201 = booked, 202 = not yet known, 500 = not booked (ruling 15). */
const CREATED: Readonly<Record<State, number>> = {
  pending: 202,
  unknown: 202,
  manual_review: 202,
  on_request: 202,
  modify_pending: 202,
  cancel_pending: 202,
  cancel_unknown: 202,
  confirmed: 201,
  cancelled: 201,
  rejected: 201,
  expired: 201,
  completed: 201,
  no_show: 201,
  failed: 500,
};

function successOf(body: string): string | undefined {
  return (JSON.parse(body) as { status: { success: [{ details: string }] } }).status.success[0].details;
}

test.each([
  [200, undefined, 'The resource was successfully retrieved.'],
  [200, 'changed', 'The reservation was changed.'],
  [200, 'cancelled', 'The reservation was cancelled.'],
  [202, 'changing', 'The change was sent. Its outcome is not known yet.'],
] as const)('a %d after it was %s says: %s', (status, done, text) => {
  expect(successOf(showReservation(status, reservationIn('confirmed'), AT, done).body)).toBe(text);
});

describe('the response to a create request', () => {
  it.each(STATES)('%s: has the status of ruling 15 and the location of the reservation', (state) => {
    const answer = createdAnswer(reservationIn(state), AT);
    expect(answer.status).toBe(CREATED[state]);
    const body: unknown = JSON.parse(answer.body);
    if (state === 'failed') {
      expect(body).toMatchObject({
        status: { errors: [{ reason: 'supplier_failure', cause: 'not_booked', supplier: 'uno' }] },
      });
      expect(answer.headers).not.toHaveProperty('location');
    } else {
      expect(body).toMatchObject({ status: { success: [{ code: String(answer.status) }] }, reservation: { state } });
      expect(answer.headers.location).toMatch(/^\/cars\/reservation\/v1\/res_\w+$/);
    }
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('says that the supplier has yet to decide on a booking on request', () => {
    expect(successOf(createdAnswer(reservationIn('on_request'), AT).body)).toContain('has yet to decide');
    expect(successOf(createdAnswer(reservationIn('confirmed'), AT).body)).toBe(
      'The resource was successfully created.',
    );
  });

  it('is the given problem if the booking was not made', () => {
    const answer = createdAnswer(reservationIn('failed'), AT, {
      reason: 'no_results',
      supplier: 'uno',
      cause: 'sold_out',
    });
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
      404,
      { status: { request_errors: 1, errors: [{ cause: 'sold_out' }] } },
    ]);
  });

  it.each(STATES.filter((state) => CREATED[state] === 202 && state !== 'on_request'))(
    '%s has a Retry-After',
    (state) => {
      expect(showReservation(200, reservationIn(state), AT).headers['retry-after']).toBe('5');
    },
  );

  it.each(['confirmed', 'on_request', 'cancelled'] as const)('%s has no Retry-After: the outcome is known', (state) => {
    expect(showReservation(200, reservationIn(state), AT).headers).not.toHaveProperty('retry-after');
  });
});

describe('the parts of a response', () => {
  it('a reservation has its version as ETag and the time of the request', () => {
    const answer = showReservation(200, reservationIn('confirmed', { confirmationNumber: 'CN1' }), AT);
    expect(answer.headers).toMatchObject({ etag: '"2"', 'content-type': 'application/json; charset=utf-8' });
    expect(JSON.parse(answer.body)).toMatchObject({
      status: { request_time: '2027-01-01T09:00:00.000Z' },
      reservation: { version: 2, confirmation_number: 'CN1', created_at: new Date(MADE_AT).toISOString() },
    });
    expect(etagOf({ ...reservationIn('confirmed'), version: 77 })).toBe('"77"');
  });

  it('a problem has the status of its reason and no reservation', () => {
    const answer = showProblem({ reason: 'invalid_range', field: 'accepted_total' }, AT);
    expect([answer.status, Object.keys(JSON.parse(answer.body) as object)]).toEqual([400, ['status']]);
    expect(answer.headers['retry-after']).toBeUndefined();
  });

  it('a booking that was not sent has the same headers whether or not that could be stored', () => {
    const problem = {
      reason: 'maintenance',
      details: 'Try again in a few seconds with another Idempotency-Key.',
    } as const;
    const headers = { 'idempotent-retry': 'new-key', 'retry-after': '5' };
    expect(showProblem(problem, AT)).toMatchObject({ status: 503, headers });
    expect(notSent(problem, true)).toMatchObject({ status: 503, headers, problems: [problem] });
    expect(notSent(problem, false).headers).toEqual({ 'retry-after': '5' });
  });

  it('an unknown outcome of a change is 500 with its cause and the location of the reservation', () => {
    const reservation = reservationIn('cancel_unknown');
    const error = outcomeUnknown(reservation);
    expect(error.status).toBe(500);
    expect(error.problems).toMatchObject([{ reason: 'supplier_failure', cause: 'outcome_unknown', supplier: 'uno' }]);
    expect(error.headers).toEqual({ location: `/cars/reservation/v1/${reservation.id}`, 'retry-after': '5' });
  });
});
