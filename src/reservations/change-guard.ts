import type { CheckedPrice } from '../offers/price-check.service.js';
import { ApiError } from '../status/api-error.js';
import type { Supplier, SupplierRegistry } from '../suppliers/registry.js';
import { etagOf } from './answers.js';
import { refuseOver } from './confirmation-numbers.js';
import type { Reservation } from './reservation.js';
import type { State } from './states.js';

/** Why a reservation in a state cannot be changed or cancelled. */
const WHY: Readonly<Partial<Record<State, string>>> = {
  pending: 'its booking is still in progress',
  unknown: 'it is not yet known whether it is booked',
  manual_review: 'it needs manual review first',
  on_request: 'the supplier has not accepted it yet',
  modify_pending: 'another change is in progress',
  cancel_pending: 'its cancellation is in progress',
  cancel_unknown: 'it is not yet known whether it was cancelled',
};

/** Throws ApiError 400 (cause not_changeable) naming the state and why. */
export function notChangeable({ state, supplier, confirmationNumber, history }: Reservation): never {
  const changing = state === 'unknown' && history.some(({ to }) => to === 'modify_pending');
  const why = changing
    ? `it is booked as ${confirmationNumber}, but it is not yet known whether the last change was made`
    : WHY[state];
  const details = `The reservation is "${state}": ${why ?? 'this state is final'}.`;
  throw ApiError.of('invalid_request', details, { cause: 'not_changeable', supplier });
}

/** Throws like `notChangeable` for a reservation that can't be changed, whatever the change. `now` is in epoch milliseconds. */
export function refuseUnlessConfirmed(reservation: Reservation, now: number): void {
  if (reservation.state !== 'confirmed' || !reservation.personal) notChangeable(reservation);
  refuseOver(reservation, now);
}

/** The most rows of the history that a change may follow: 100 changes that the supplier answers. */
export const MOST_ROWS_BEFORE_CHANGE = 200;

/**
 * Throws ApiError 400 (cause too_many_changes) if the history is too long for another change. Its length is the version.
 * Cancelling is always possible.
 */
export function refuseEndlessChanges({ version, supplier }: Reservation): void {
  if (version <= MOST_ROWS_BEFORE_CHANGE) return;
  const details = `The reservation was changed too often: its history has ${version} entries, and only a reservation with at most ${MOST_ROWS_BEFORE_CHANGE} can be changed. You can still read and cancel it. To change the rental, cancel it and create a new one.`;
  throw ApiError.of('invalid_request', details, { cause: 'too_many_changes', supplier });
}

/**
 * Throws ApiError 400 (cause not_changeable) if the supplier would have to accept the changed rental manually: the confirmed booking
 * would become a request. `field` is the id in the body.
 */
export function refuseOnRequest({ offer, supplier: { id, name } }: CheckedPrice, field?: string): void {
  if (offer.status !== 'on_request') return;
  const other = field === undefined ? '' : 'choose an offer whose "status" is "available", or ';
  const details = `${name} would have to accept this change manually. Nothing was changed. Keep the reservation as it is, ${other}cancel it and create a new one.`;
  throw ApiError.of('invalid_request', details, {
    cause: 'not_changeable',
    supplier: id,
    ...(field === undefined ? {} : { field }),
  });
}

/**
 * The supplier of a reservation, in any supplier state. Throws ApiError 503 if it is no longer configured or cannot be
 * built.
 */
export function supplierOf(
  registry: SupplierRegistry,
  { supplier: id }: Reservation,
  retryAfterSeconds: number,
): Supplier {
  const supplier = registry.byId(id);
  if (supplier) return supplier;
  throw ApiError.of(
    'maintenance',
    'The supplier of this reservation is not available through the gateway at the moment. Retry later.',
    {
      supplier: id,
      headers: { 'retry-after': String(retryAfterSeconds) },
    },
  );
}

/**
 * Throws ApiError 400 (cause version_mismatch) if `If-Match` does not match the version of the reservation; absent and
 * `*` always match. 412 is not one of the codes of spec §7.
 */
export function checkIfMatch(ifMatch: string | undefined, reservation: Reservation): void {
  if (ifMatch === undefined) return;
  // Compression makes a tag weak (RFC 9110 §8.8.1), here or in a proxy. It still names one version.
  const tags = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (!tags.every((tag) => tag === '*' || /^"\d+"$/.test(tag))) {
    throw ApiError.of(
      'invalid_format',
      'If-Match must be the ETag from an earlier response, including the quotes, such as "3".',
      {
        field: 'If-Match',
      },
    );
  }
  if (tags.includes('*') || tags.includes(etagOf(reservation))) return;
  const details = `The reservation has changed: its ETag is now ${etagOf(reservation)}. Read it again and retry with the new ETag.`;
  throw ApiError.of('invalid_request', details, { field: 'If-Match', cause: 'version_mismatch' });
}

/** The error if another request has changed the reservation since it was read. */
export function changedMeanwhile(): ApiError {
  const details = 'Another request has changed the reservation. Read it again and retry with the new ETag.';
  return ApiError.of('invalid_request', details, { cause: 'version_mismatch' });
}
