import { toLocal } from '../../places/zone-clock.js';
import type { SimulatedBooking } from '../bookings.js';
import type { Directive } from '../world.js';
import { OTA_ERRORS, type OtaError, successContent } from './answers.js';
import { bookingNamed, carOf, type HandlerOptions, nameOf } from './booking-register.js';
import { cancellationFee, cancellationTerms } from './cancellation-terms.js';
import { amount } from './option-writer.js';
import { child, type XmlNode } from './wire.js';
import { element, wrap } from './wire-writer.js';

/** OTA_VehCancelRQ: cancels by number and last name, and returns the current fee according to the rate's terms. */
export function cancel(root: XmlNode, { verb }: Directive, options: HandlerOptions): string | OtaError {
  const core = child(root, 'VehCancelRQCore');
  const { lastName } = nameOf(core);
  if (lastName === undefined) return OTA_ERRORS.missingField;
  const booking = bookingNamed(core, options.ledger);
  if ('code' in booking) return booking;
  if (booking.lastName.toLowerCase() !== lastName.toLowerCase()) return OTA_ERRORS.otherName;
  if (booking.status === 'cancelled') return OTA_ERRORS.alreadyCancelled;
  if (booking.status === 'rejected') return OTA_ERRORS.unknownBooking;
  const hoursBefore = hoursToPickup(booking, options);
  if (hoursBefore <= 0) return OTA_ERRORS.hasStarted;
  options.ledger.put({ ...booking, status: 'cancelled' });
  if (verb === 'empty') return successContent('');
  const { currency, confirmation } = booking;
  const rule = element('CancelRule', {
    Amount: amount(feeOf(booking, hoursBefore, options), currency),
    CurrencyCode: currency,
  });
  return successContent(
    element(
      'VehCancelRSCore',
      { CancelStatus: 'Cancelled' },
      element('UniqueID', { Type: 14, ID: confirmation }) +
        element('UniqueID', { Type: 15, ID: `X${confirmation}` }) +
        wrap('CancelRules', rule),
    ),
  );
}

/** Cancelling an on-request booking before it is accepted is free. */
function feeOf(booking: SimulatedBooking, hoursBefore: number, { inventories }: HandlerOptions): number {
  const offer = carOf(booking, inventories);
  if (!offer || booking.status !== 'confirmed') return 0;
  return cancellationFee(cancellationTerms(offer, booking.prepaid), booking.total, hoursBefore);
}

/** In the time zone of the pickup location. */
function hoursToPickup(
  { brand, pickupCode, pickupDate }: SimulatedBooking,
  { inventories, ledger }: HandlerOptions,
): number {
  const timeZone = inventories[brand]?.locationByCode(pickupCode)?.timeZone ?? 'UTC';
  return (Date.parse(`${pickupDate}Z`) - Date.parse(`${toLocal(ledger.now(), timeZone)}Z`)) / 3_600_000;
}
