import { ApiError, type Problem } from '../status/api-error.js';
import { statusContainer } from '../status/status-container.js';
import type { Reservation } from './reservation.js';
import type { StoredAnswer } from './reservation.repository.js';
import { reservationView } from './reservation-view.js';
import type { State } from './states.js';

/** How soon to ask again for a reservation whose outcome is not known, seconds. */
const RETRY_AFTER = '5';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** States of which nobody can say yet what they come to (ruling 15). */
const OPEN_STATES: readonly State[] = [
  'pending',
  'unknown',
  'manual_review',
  'modify_pending',
  'cancel_pending',
  'cancel_unknown',
];

/** An answer that shows a reservation; `at` epoch milliseconds of the request. */
export function showReservation(status: number, reservation: Reservation, at: number): StoredAnswer {
  return {
    status,
    headers: {
      ...JSON_TYPE,
      etag: etagOf(reservation),
      location: `/cars/reservation/v1/${reservation.id}`,
      ...(OPEN_STATES.includes(reservation.state) ? { 'retry-after': RETRY_AFTER } : {}),
    },
    body: JSON.stringify({ status: statusContainer(at, status, []), reservation: reservationView(reservation) }),
  };
}

/**
 * The answer to a create request by what became of the reservation: 201 when it is booked, 202 when that is not certain (ruling 15), the
 * error entry of a booking that was certainly not made.
 */
export function createdAnswer(reservation: Reservation, at: number, problem?: Problem): StoredAnswer {
  if (reservation.state === 'failed') return showProblem(problem ?? notMade(reservation), at);
  const uncertain = reservation.state === 'on_request' || OPEN_STATES.includes(reservation.state);
  return showReservation(uncertain ? 202 : 201, reservation, at);
}

/** An error answer that is stored with its request. */
export function showProblem(problem: Problem, at: number): StoredAnswer {
  const error = new ApiError([problem]);
  return {
    status: error.status,
    headers: JSON_TYPE,
    body: JSON.stringify({ status: statusContainer(at, undefined, error.problems) }),
  };
}

/** The error for a change that was sent and whose outcome is not known: PATCH and DELETE have no 202 (spec §7.2). */
export function outcomeUnknown({ id, supplier, state }: Reservation): ApiError {
  const details = `The request was sent, but its outcome is not known yet; the reservation is "${state}". It is cleared in the background: read it again.`;
  return new ApiError([{ reason: 'supplier_failure', supplier, cause: 'outcome_unknown', details }], {
    location: `/cars/reservation/v1/${id}`,
    'retry-after': RETRY_AFTER,
  });
}

/** The entity tag of a reservation: its version. */
export function etagOf({ version }: Reservation): string {
  return `"${version}"`;
}

function notMade({ supplier }: Reservation): Problem {
  return {
    reason: 'supplier_failure',
    supplier,
    cause: 'not_booked',
    details: 'The supplier did not make the booking. Nothing is booked; book anew.',
  };
}
