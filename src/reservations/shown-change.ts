import { type BookedExtra, type ChosenExtra, isSameCode, type SupplierBooking } from '../model/bookings.js';
import { isForOtherDates } from '../suppliers/answers/requested.js';
import { knownDates } from './booked-differences.js';
import type { Change, Reservation } from './reservation.js';

/**
 * What a supplier's booking shows of a change in doubt: that it was made, or that it wasn't. Undefined = that isn't clear. What
 * was so before the change was sent proves nothing: staff of the supplier may have changed the dates, and the caller may then have requested the same.
 * Extras and cars that aren't as requested don't prove that a change wasn't made, because suppliers list and write them loosely.
 */
export function shownOfChange(
  { rental, view }: Pick<Reservation, 'rental' | 'view'>,
  change: Change,
  booking: SupplierBooking,
): 'made' | 'unchanged' | undefined {
  if (booking.status !== 'confirmed') return undefined;
  const [isOld, isNew] = [change.shown ?? knownDates({ rental, view }), change.rental].map(
    (dates) => !isForOtherDates(dates, booking),
  );
  if (isOld !== isNew) return isNew ? 'made' : 'unchanged';
  // Other dates than both.
  if (!isNew) return undefined;
  return hasNewCar(change, booking) || hasNewExtras(rental.extras, change, booking) ? 'made' : undefined;
}

function hasNewCar({ shown, view }: Change, { sippCode }: SupplierBooking): boolean {
  const before = shown?.sippCode;
  return before !== undefined && isSameCode(sippCode, view.vehicle.sipp_code) && !isSameCode(sippCode, before);
}

/** Whether all extras that the change added or removed were listed as before it, and are now listed as requested. */
function hasNewExtras(
  chosen: readonly ChosenExtra[],
  { shown, rental }: Change,
  { extras }: Pick<SupplierBooking, 'extras'>,
): boolean {
  const before = shown?.extras;
  if (!before || !extras) return false;
  const changed = [...chosen, ...rental.extras].filter(({ code }) => has(chosen, code) !== has(rental.extras, code));
  const isSeen = ({ code }: ChosenExtra): boolean =>
    has(before, code) === has(chosen, code) && has(extras, code) === has(rental.extras, code);
  return changed.length > 0 && changed.every(isSeen);
}

function has(extras: readonly BookedExtra[], code: string): boolean {
  return extras.some((extra) => isSameCode(extra.code, code));
}
