import type { CancelResult, SupplierBooking } from '../../model/bookings.js';
import { CODE, type Tally } from './tally.js';

/** It is stored until its change is made. */
const MOST_GUARANTEE = 50_000;

/** Checks a booking. Throws SupplierError `bad_payload` as the tally does. */
export function checkBooking({ ref, total, extras = [], ...booking }: SupplierBooking, tally: Tally): void {
  tally.ref(ref);
  tally.text(booking.rateGuarantee, MOST_GUARANTEE, 'rateGuarantee');
  tally.money(total, 'total');
  tally.readNumber(booking.confirmationNumber, 'confirmationNumber');
  for (const name of ['status', 'reference', 'sippCode'] as const) tally.text(booking[name], CODE, name);
  for (const end of ['pickup', 'dropoff'] as const) {
    tally.localTime(booking[`${end}Date`], `${end}Date`);
    for (const name of ['code', 'iataCode'] as const) tally.text(booking[end]?.[name], CODE, `${end}.${name}`);
    tally.position(booking[end], `${end}.`);
  }
  tally.list(extras, 100, 'extras', ({ code, quantity }, own) => {
    own.text(code, CODE, 'extras.code');
    own.count(quantity, 'extras.quantity');
  });
}

/** Checks the result of a cancellation. Throws SupplierError `bad_payload` as the tally does. */
export function checkCancelResult({ fee, refund, cancellationNumber }: CancelResult, tally: Tally): void {
  tally.money(fee, 'fee');
  tally.money(refund, 'refund');
  tally.readNumber(cancellationNumber, 'cancellationNumber');
}
