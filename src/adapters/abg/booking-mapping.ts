import type { BookedPlace, SupplierBooking } from '../../model/bookings.js';
import type { LocalDateTime } from '../../model/locations.js';
import { isCurrency, type Money, optionalAmount, parseMoney } from '../../model/money.js';
import type { OfferStatus } from '../../model/offers.js';
import { SupplierError } from '../../model/supplier.js';
import { Warnings } from '../../model/warnings.js';
import { atBareAirport, bookedPlace } from '../places/bare-airport.js';
import { ACCEPTED } from './booking-ref.js';
import { mapRentalPlace } from './location-mapping.js';
import { mapChosenExtras } from './option-mapping.js';
import { mapSippCode, vehicleStatus } from './vehicle-mapping.js';
import { flag, group, scalar, text, type Wire, word } from './wire.js';

/** A booking whose status may be a word that isn't known. */
export type StatedBooking = Omit<SupplierBooking, 'status'> & {
  readonly status: SupplierBooking['status'] | undefined;
};

/**
 * The `reservation` of a create, update or view answer. `offered`: the status of the car as it was offered, which is the status
 * of the booking as long as ABG states none. Throws bad_payload without a confirmation number, or with one
 * that JSON has rounded, because then it is unknown what was booked, and if the word for its status isn't known.
 */
export function mapBooking(reservation: Wire, offered: OfferStatus): SupplierBooking {
  const { status, ...booking } = statedBooking(reservation, offered);
  if (status === undefined) throw new SupplierError('bad_payload', 'abg returned a reservation with an unknown status');
  return { ...booking, status };
}

/**
 * As `mapBooking`, whatever the status. Our reference isn't read back: in ABG's own examples the answer has a different
 * transaction_id than the request.
 */
export function statedBooking(reservation: Wire, offered: OfferStatus): StatedBooking {
  const confirmation = group(reservation.confirmation);
  const confirmationNumber = text(confirmation.number);
  if (confirmationNumber === undefined)
    throw new SupplierError('bad_payload', 'abg returned a reservation without a confirmation number');
  const category = group(group(reservation.vehicle).category);
  const warnings = new Warnings();
  const rateTotals = group(reservation.rate_totals);
  const total = totalOf(rateTotals, warnings);
  const creditCardRequired = cardNeeded(group(rateTotals.rate).credit_card_guarantee);
  const pickupDate = wallClock(confirmation.pickup_date);
  const dropoffDate = wallClock(confirmation.dropoff_date);
  const sippCode = mapSippCode(category.sipp_code);
  const pickup = placeOf(reservation.pickup_location);
  const dropoff = placeOf(reservation.dropoff_location);
  const extras = mapChosenExtras(reservation.extras);
  const status = statusOf(category, offered);
  return {
    status,
    // A car offered otherwise would be confirmed by the same answer.
    ...(status === 'on_request' && statusOf(category, 'available') !== status && { isStatusAssumed: true }),
    confirmationNumber,
    ref: offered === 'on_request' && status === 'confirmed' ? ACCEPTED : {},
    ...(total && { total }),
    ...(creditCardRequired !== undefined && { creditCardRequired }),
    ...(pickupDate !== undefined && { pickupDate }),
    ...(dropoffDate !== undefined && { dropoffDate }),
    ...(sippCode !== undefined && { sippCode }),
    ...(pickup && { pickup }),
    ...(dropoff && { dropoff }),
    ...(extras && { extras }),
    ...(warnings.list.length > 0 && { warnings: warnings.list }),
  };
}

/** The proof of the booked rate in a `reservation`: unchanged, so not as `text` reads it. */
export function rateGuaranteeOf(reservation: Wire): string | undefined {
  const { rate_guarantee_blob: proof } = group(group(reservation.rate_totals).rate);
  return typeof proof === 'string' && proof !== '' ? proof : undefined;
}

const ANYWHERE = { brand: '', code: '', countryCode: '' };

/** Undefined without a code. */
function placeOf(wire: unknown): BookedPlace | undefined {
  const location = mapRentalPlace(wire, ANYWHERE);
  return location.code === '' ? undefined : bookedPlace(atBareAirport(location, ANYWHERE));
}

/**
 * ABG reservations have no status: a returned reservation is confirmed, unless the vehicle itself awaits manual
 * confirmation. Both members that say so are optional: without them, one that was offered on request still does. Undefined if that is
 * said in words that aren't known; ABG's contract has one more (Available) among its examples than in its list.
 */
function statusOf(category: Wire, offered: OfferStatus): SupplierBooking['status'] | undefined {
  const answered = word(category.vehicle_onrequest_status);
  switch (answered?.toLowerCase()) {
    case 'denied':
      return 'rejected';
    case 'pending':
      return 'on_request';
    case 'confirmed':
      return 'confirmed';
    case 'available':
    case undefined: {
      const status = vehicleStatus(category, answered === undefined ? offered : 'available');
      return status === 'available' ? 'confirmed' : status;
    }
    default:
      return undefined;
  }
}

/** "A card is needed to finish the booking" (contract). A word that can't be read may mean that. */
function cardNeeded(wire: unknown): boolean | undefined {
  return flag(wire) ?? (word(wire) === undefined ? undefined : true);
}

/** Undefined without a positive amount; one without a currency is left out with a warning. */
function totalOf(rateTotals: Wire, warnings: Warnings): Money | undefined {
  const currency = text(group(rateTotals.rate).currency)?.toUpperCase();
  const amount = scalar(group(rateTotals.totals).reservation_total);
  if (currency === undefined || !isCurrency(currency)) {
    if (amount !== undefined) warnings.add('amount_rejected', 'the total has no readable currency: left out');
    return undefined;
  }
  // The booking exists, whatever it costs.
  const total = optionalAmount(() => parseMoney(amount, currency), warnings, 'the total');
  return total && total.amountMinor > 0 ? total : undefined;
}

/** Some answers add milliseconds or a Z but mean the same wall clock. */
function wallClock(value: unknown): LocalDateTime | undefined {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.exec(text(value) ?? '')?.[0];
}
