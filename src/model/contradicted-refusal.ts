import {
  type BookedExtra,
  type ChosenExtra,
  isSameCode,
  type ModifyRequest,
  quantityBooked,
  type SupplierBooking,
} from './bookings.js';
import { TooMuchError } from './limits.js';
import type { LocalDateTime } from './locations.js';
import { isClearRefusal, SupplierError } from './supplier.js';

/**
 * Reads the answer to a call that books, changes or cancels. Throws as `read` does, but `bad_payload` in place of a clear
 * refusal if the same answer `shows` that what it refuses was done: the outcome is in doubt then (ruling 15). An answer
 * that can't be read shows nothing, unless it has too much to be read.
 */
export function unlessShown<T>(read: () => T, shows: () => boolean): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SupplierError && isClearRefusal(error) && isShown(shows))
      throw new SupplierError('bad_payload', 'a refusal, but the answer shows that it was done', true, {
        cause: error,
      });
    throw error;
  }
}

/**
 * Whether a booking shows that a change was made: it has a date or the extras of the change, or is another booking. A
 * refused change may be answered with the booking as it was.
 */
export function showsChange(stated: Omit<SupplierBooking, 'status'>, request: ModifyRequest): boolean {
  const { before, confirmationNumber } = request;
  if (stated.confirmationNumber !== undefined && !isSameCode(stated.confirmationNumber, confirmationNumber))
    return true;
  if (!before) return false;
  const { pickupDate, dropoffDate, extras } = stated;
  return (
    isCloser(pickupDate, request.pickupDate, before.pickupDate) ||
    isCloser(dropoffDate, request.dropoffDate, before.dropoffDate) ||
    (extras !== undefined && isSame(extras, request.extras) && !isSame(extras, before.extras))
  );
}

function isShown(shows: () => boolean): boolean {
  try {
    return shows();
  } catch (error) {
    // What can't be counted may show anything.
    if (error instanceof SupplierError) return error instanceof TooMuchError;
    throw error;
  }
}

/** Suppliers round times. */
function isCloser(stated: LocalDateTime | undefined, requested: LocalDateTime, before: LocalDateTime): boolean {
  const away = (from: LocalDateTime) => Math.abs(Date.parse(`${stated}Z`) - Date.parse(`${from}Z`));
  return away(requested) < away(before);
}

/** A quantity that the supplier doesn't state may be the chosen one. */
function isSame(stated: readonly BookedExtra[], chosen: readonly ChosenExtra[]): boolean {
  const isListed = ({ code, quantity }: ChosenExtra): boolean => {
    const rows = stated.filter((extra) => isSameCode(extra.code, code));
    const booked = quantityBooked(rows);
    return rows.length > 0 && (booked === undefined || booked === quantity);
  };
  return chosen.every(isListed) && stated.every(({ code }) => chosen.some((extra) => isSameCode(extra.code, code)));
}
