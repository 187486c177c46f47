import type { SupplierBooking } from '../suppliers/booking-models.js';
import { SupplierError } from '../suppliers/supplier.js';

/** Faults that are a clear no: nothing was done (port rule of SupplierError). */
const CLEAR: readonly SupplierError['fault'][] = ['rejected', 'throttled', 'auth'];

/** How a call that books, changes or cancels ended: done with its result, certainly not done, or nobody knows (ruling 15). */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly result: T }
  | { readonly kind: 'not_done'; readonly error: SupplierError }
  | { readonly kind: 'unknown'; readonly error: SupplierError };

/** Turns the end of a writing call into an outcome. Anything but SupplierError is thrown on. */
export async function outcomeOf<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'done', result: await call };
  } catch (error) {
    if (!(error instanceof SupplierError)) throw error;
    return { kind: !error.sent || CLEAR.includes(error.fault) ? 'not_done' : 'unknown', error };
  }
}

/** An answer without what it must hold proves nothing: a booking without number is unknown. */
export function checkedBooking(booking: SupplierBooking): SupplierBooking {
  const booked = booking.status === 'confirmed' || booking.status === 'on_request';
  if (booked && !booking.confirmationNumber) throw new SupplierError('bad_payload', 'a booking without confirmation number');
  if (!booked && booking.status !== 'rejected') throw new SupplierError('bad_payload', `a new booking that is ${booking.status}`);
  return booking;
}
