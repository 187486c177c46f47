import type { SupplierBooking } from '../model/bookings.js';
import { SupplierError } from '../model/supplier.js';

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

/** Whether a text can be a supplier's number: 1 to 64 printable characters. Anything else could be neither stored nor told to a person. */
export function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/.test(text);
}

/** An answer without what it must hold, or about another booking than ours, proves nothing: the outcome is unknown. */
export function checkedBooking(booking: SupplierBooking, reference: string): SupplierBooking {
  const booked = booking.status === 'confirmed' || booking.status === 'on_request';
  if (booked && !isNumber(booking.confirmationNumber))
    throw new SupplierError('bad_payload', 'a booking without a usable confirmation number');
  if (!booked && booking.status !== 'rejected')
    throw new SupplierError('bad_payload', `a new booking that is ${booking.status}`);
  if (booking.reference !== undefined && booking.reference !== reference)
    throw new SupplierError('bad_payload', 'a booking of another reference');
  return booking;
}
