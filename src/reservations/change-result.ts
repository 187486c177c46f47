import { isDeepStrictEqual } from 'node:util';
import type { SupplierError } from '../model/supplier.js';
import type { Reservation } from './reservation.js';
import type { Outcome } from './supplier-outcome.js';

/** What the caller of a change learns: that it was refused, or the reservation and whether the outcome is unknown. */
export type ChangeResult =
  | { readonly kind: 'refused'; readonly error: SupplierError }
  | { readonly kind: 'changed' | 'unknown'; readonly reservation: Reservation };

/**
 * The result of a change, by what is stored: a reconciler may have taken over while this gateway was paused or the
 * database was unavailable, and may have repeated the change. So this gateway's own refusal is the result only if it was
 * stored and the reservation is as it was.
 */
export function changeResult(
  outcome: Outcome<unknown>,
  before: Reservation,
  pending: Reservation,
  stored: Reservation | undefined,
): ChangeResult {
  if (stored?.state !== 'confirmed') return { kind: 'unknown', reservation: stored ?? pending };
  if (outcome.kind === 'done' || !isDeepStrictEqual(changeable(stored), changeable(before)))
    return { kind: 'changed', reservation: stored };
  return outcome.kind === 'not_done'
    ? { kind: 'refused', error: outcome.error }
    : { kind: 'unknown', reservation: stored };
}

/** All that a change can change. */
function changeable({ view, personal, rental }: Reservation): unknown[] {
  return [view, personal, rental.pickupLater];
}
