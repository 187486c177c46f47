import { ApiError, type Problem } from '../status/api-error.js';
import { statusContainer } from '../status/status-container.js';
import type { Reservation } from './reservation.js';
import type { StoredAnswer } from './reservation.repository.js';
import { reservationView } from './reservation-view.js';
import type { State } from './states.js';

/** When to read a reservation with an unknown outcome again, in seconds. */
const RETRY_AFTER = '5';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** States whose outcome is not yet known (ruling 15). */
const OPEN_STATES: readonly State[] = [
  'pending',
  'unknown',
  'manual_review',
  'modify_pending',
  'cancel_pending',
  'cancel_unknown',
];

/** The texts of what was done, where the default of the status doesn't say it. */
const DONE = {
  changed: 'The reservation was changed.',
  cancelled: 'The reservation was cancelled.',
  onRequest: 'The booking is on request: the supplier has yet to decide.',
  changing: 'The change was sent. Its outcome is not known yet.',
} as const;

/**
 * A response with a reservation; `at` is the time of the request in epoch milliseconds. `done`: what was done, if the
 * default text of the status doesn't say it.
 */
export function showReservation(
  status: number,
  reservation: Reservation,
  at: number,
  done?: keyof typeof DONE,
): StoredAnswer {
  const container = statusContainer(at, status, [], done && DONE[done]);
  return {
    status,
    headers: {
      ...JSON_TYPE,
      etag: etagOf(reservation),
      location: `/cars/reservation/v1/${reservation.id}`,
      ...(OPEN_STATES.includes(reservation.state) ? { 'retry-after': RETRY_AFTER } : {}),
    },
    body: JSON.stringify({ status: container, reservation: reservationView(reservation) }),
  };
}

/**
 * The response to a create request: 201 if the reservation is booked, 202 if that is not yet known (ruling 15), an
 * error if nothing was booked.
 */
export function createdAnswer(reservation: Reservation, at: number, problem?: Problem): StoredAnswer {
  if (reservation.state === 'failed') return showProblem(problem ?? notMade(reservation), at);
  if (reservation.state === 'on_request') return showReservation(202, reservation, at, 'onRequest');
  return showReservation(OPEN_STATES.includes(reservation.state) ? 202 : 201, reservation, at);
}

/** Says with which Idempotency-Key to try again after an error. */
export const RETRY_WITH = { sameKey: { 'idempotent-retry': 'same-key' }, newKey: { 'idempotent-retry': 'new-key' } };

/** An error response that is stored with its request: the same key gets it again. */
export function showProblem(problem: Problem, at: number): StoredAnswer {
  const error = new ApiError([problem]);
  return {
    status: error.status,
    headers: { ...JSON_TYPE, ...RETRY_WITH.newKey, ...(error.status === 503 ? { 'retry-after': RETRY_AFTER } : {}) },
    body: JSON.stringify({ status: statusContainer(at, undefined, error.problems) }),
  };
}

/** The error for a change that was sent but whose outcome is unknown: PATCH and DELETE have no 202 (spec §7.2). */
export function outcomeUnknown({ id, supplier, state }: Reservation): ApiError {
  const details = `The request was sent, but its outcome is not yet known. The reservation is "${state}" while the gateway checks with the supplier. Read it again later.`;
  return new ApiError([{ reason: 'supplier_failure', supplier, cause: 'outcome_unknown', details }], {
    location: `/cars/reservation/v1/${id}`,
    'retry-after': RETRY_AFTER,
  });
}

/** The entity tag of a reservation: its version. */
export function etagOf({ version }: Reservation): string {
  return `"${version}"`;
}

/**
 * The error for a booking whose outcome could not be stored (ruling 26): the database became unavailable after the
 * supplier was asked to book. The gateway finds out what happened.
 */
export function notStored({ id }: Reservation): ApiError {
  const details =
    'The supplier was asked to book, but the outcome could not be stored. Nothing is booked twice: repeat the request with the same Idempotency-Key, or read the reservation at Location.';
  return ApiError.of('maintenance', details, {
    cause: 'outcome_unknown',
    headers: { location: `/cars/reservation/v1/${id}`, 'retry-after': RETRY_AFTER },
  });
}

/**
 * The error for a booking that wasn't sent, which couldn't be stored yet: the process keeps trying, and if it exits, the reconciler finds
 * no booking. The reservation ends as failed in any case, and its key gets that answer, so only another key books.
 */
export function notSent(problem: Problem, hasKey: boolean): ApiError {
  return new ApiError([problem], { ...(hasKey ? RETRY_WITH.newKey : {}), 'retry-after': RETRY_AFTER });
}

/**
 * The error for a change or cancellation that wasn't sent, and of which it isn't known whether it is stored: the gateway then sends
 * it, as if this process had exited before.
 */
export function requestInDoubt({ id }: Reservation, error?: unknown): ApiError {
  const details =
    'The database stopped answering before the request was sent to the supplier. If the gateway has stored it, it sends it within minutes. Read the reservation at Location until its state is known. If its version stays as it was, the request was not stored: try again.';
  return new ApiError(
    [{ reason: 'maintenance', cause: 'outcome_unknown', details }],
    { location: `/cars/reservation/v1/${id}`, 'retry-after': RETRY_AFTER },
    { cause: error },
  );
}

function notMade({ supplier }: Reservation): Problem {
  return {
    reason: 'supplier_failure',
    supplier,
    cause: 'not_booked',
    details: 'The supplier did not make the booking. Nothing is booked. Create a new reservation.',
  };
}
