import { ApiError } from '../status/api-error.js';
import type { Supplier, SupplierRegistry } from '../suppliers/registry.js';
import { etagOf } from './answers.js';
import type { Reservation } from './reservation.js';
import type { State } from './states.js';

/** Why a reservation in a state cannot be changed or cancelled. */
const WHY: Readonly<Partial<Record<State, string>>> = {
  pending: 'its booking is still under way',
  unknown: 'it is not known yet whether it is booked',
  manual_review: 'a person must clear it first',
  on_request: 'the supplier has not accepted it yet',
  modify_pending: 'another change is under way',
  cancel_pending: 'its cancellation is under way',
  cancel_unknown: 'it is not known yet whether its cancellation went through',
};

/** Throws ApiError 400 (cause not_changeable) naming the state and why. */
export function notChangeable({ state, supplier, confirmationNumber }: Reservation): never {
  const changing = state === 'unknown' && confirmationNumber !== undefined;
  const why = changing
    ? `it is booked as ${confirmationNumber}, but whether the last change went through is not known yet`
    : WHY[state];
  const details = `The reservation is "${state}": ${why ?? 'that is final'}.`;
  throw ApiError.of('invalid_request', details, { cause: 'not_changeable', supplier });
}

/** The supplier of a reservation, whatever its state. Throws ApiError 503 when it is gone from the configuration or cannot be built. */
export function supplierOf(
  registry: SupplierRegistry,
  { supplier: id }: Reservation,
  retryAfterSeconds: number,
): Supplier {
  const supplier = registry.byId(id);
  if (supplier) return supplier;
  throw ApiError.of(
    'maintenance',
    'The supplier of this reservation cannot be reached through this gateway at the moment.',
    {
      supplier: id,
      headers: { 'retry-after': String(retryAfterSeconds) },
    },
  );
}

/**
 * Throws ApiError 400 (cause version_mismatch) when `If-Match` names another version than the reservation has; absent and `*` match always. 412 is
 * not among the codes of spec §7.
 */
export function holdIfMatch(ifMatch: string | undefined, reservation: Reservation): void {
  if (ifMatch === undefined) return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.every((tag) => tag === '*' || /^"\d+"$/.test(tag))) {
    throw ApiError.of('invalid_format', 'If-Match must be an ETag as it was answered, with its quotes, such as "3".', {
      field: 'If-Match',
    });
  }
  if (tags.includes('*') || tags.includes(etagOf(reservation))) return;
  const details = `The reservation has changed: its ETag is ${etagOf(reservation)} now. Read it again and decide anew.`;
  throw ApiError.of('invalid_request', details, { field: 'If-Match', cause: 'version_mismatch' });
}
