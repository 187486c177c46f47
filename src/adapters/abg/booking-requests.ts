import type { BookingKey, BookRequest, ModifyRequest, RentalRequest } from '../../model/bookings.js';
import { SupplierError, type SupplierHttpCall } from '../../model/supplier.js';
import { type AbgRef, readRef } from './booking-ref.js';
import { customerWire, flightWire } from './customer.js';
import type { AbgOptions } from './options.js';
import { paymentPreference } from './payment-preference.js';
import { get } from './requests.js';

/** Prices one vehicle with options. Throws as `readRef` does, unsent. Of the renter's data, ABG gets only the age. */
export function ratesCall(request: RentalRequest, requestId: string, options: AbgOptions): SupplierHttpCall {
  const ref = readRef(request.ref);
  return send('POST', options.ratesPath, {
    transaction: { transaction_id: requestId },
    product: productWire(request.brand, ref),
    reservation: { ...rentalWire(request, ref), vehicle_status: ref.onRequest ? 'OnRequest' : 'Available' },
    rate_totals: { rate: rateWire(request, ref) },
    ...optionsWire(request),
    customer: { contact: { age: request.age } },
  });
}

/** Books. Throws as `readRef` and `paymentPreference` do, unsent. */
export function createCall(request: BookRequest, options: AbgOptions): SupplierHttpCall {
  return send('POST', options.reservationPath, reservationBody(request));
}

/** Restates a complete booking: the body of a create call with the confirmation number. */
export function updateCall(request: ModifyRequest, options: AbgOptions): SupplierHttpCall {
  return send('PATCH', options.reservationPath, reservationBody(request, request.confirmationNumber));
}

/**
 * Changes only contact and flight, without new pricing. The contract requires `rate_totals` but does not declare it.
 */
export function partialUpdateCall(request: ModifyRequest, options: AbgOptions): SupplierHttpCall {
  const ref = readRef(request.ref);
  return send('PATCH', options.partialModifyPath, {
    transaction: { transaction_id: request.reference },
    product: productWire(request.brand, ref),
    reservation: { confirmation: { number: request.confirmationNumber } },
    rate_totals: { rate: { rate_code: ref.rateCode, country_code: request.countryCode } },
    customer: customerWire(request),
    arrival_flight: flightWire(request.arrival),
  });
}

/**
 * Reads one booking. The only call with a name in its URL: the contract accepts only the number and last name, as query
 * parameters. Before a change, ABG adds the proof of the booked rate. Throws as `numberOf` does.
 */
export function viewCall(key: BookingKey, requestId: string, options: AbgOptions): SupplierHttpCall {
  return get(options.reservationPath, [
    ['brand', key.brand],
    ['confirmation_number', numberOf(key)],
    ['last_name', key.lastName],
    ['transaction_id', requestId],
    ['modify', key.isForChange ? 'true' : undefined],
  ]);
}

/** Cancels with a PUT; there is no DELETE. Throws as `numberOf` does. */
export function cancelCall(key: BookingKey, options: AbgOptions): SupplierHttpCall {
  return send('PUT', options.reservationPath, {
    transaction: { transaction_id: key.reference },
    product: { brand: key.brand },
    reservation: { confirmation: { number: numberOf(key) } },
    customer: { contact: { last_name: key.lastName } },
  });
}

/**
 * The supplier's number. Throws `rejected` with unsupported_by_supplier, unsent, without one: ABG can't look up a
 * booking by anything else.
 */
export function numberOf({ confirmationNumber }: BookingKey): string {
  if (confirmationNumber !== undefined) return confirmationNumber;
  throw new SupplierError('rejected', 'abg can find a booking only by its number', false, {
    refusal: 'unsupported_by_supplier',
  });
}

function reservationBody(request: BookRequest, confirmationNumber?: string): object {
  const ref = readRef(request.ref);
  const membership = request.driver.loyalty[0]?.number;
  return {
    transaction: { transaction_id: request.reference },
    product: productWire(request.brand, ref),
    reservation: {
      ...rentalWire(request, ref),
      confirmation: confirmationNumber === undefined ? undefined : { number: confirmationNumber },
      email_notification: request.notifyCustomer,
      vehicle_status: request.status === 'on_request' ? 'OnRequest' : 'Available',
      // transaction_id is a trace id that ABG's staff don't see. If the caller has no remark, the remark carries the
      // reference.
      remark: request.remark ?? request.reference,
    },
    rate_totals: {
      rate: { ...rateWire(request, ref), membership: membership === undefined ? undefined : { code: membership } },
    },
    customer: customerWire(request),
    ...optionsWire(request),
    arrival_flight: flightWire(request.arrival),
    payment_preference: paymentPreference(request.payment, request.total),
  };
}

function productWire(brand: string, { iataNumber }: AbgRef): object {
  return { brand, iata_number: iataNumber };
}

function rentalWire({ pickupDate, dropoffDate }: RentalRequest, ref: AbgRef): object {
  return {
    pickup_date: pickupDate,
    pickup_location: ref.pickupCode,
    dropoff_date: dropoffDate,
    dropoff_location: ref.dropoffCode,
    vehicle_sipp_code: ref.sippCode,
  };
}

/** `quote_id` locks the quoted price, `rate_guarantee_blob` the rate of the booking that is changed. */
function rateWire(
  { countryCode, rateGuarantee }: RentalRequest,
  { rateCode, quoteId, discountCode, couponCode }: AbgRef,
): object {
  return {
    rate_code: rateCode,
    country_code: countryCode,
    quote_id: quoteId,
    rate_guarantee_blob: rateGuarantee,
    discount: discountCode === undefined ? undefined : { code: discountCode },
    coupon: couponCode === undefined ? undefined : { code: couponCode },
  };
}

/** A request has only codes and quantities. An empty list in an update removes the existing options. */
function optionsWire({ coverages, extras }: RentalRequest): object {
  return {
    insurance: coverages.map((code) => ({ code })),
    extras: extras.map(({ code, quantity }) => ({ code, quantity })),
  };
}

/** Undefined members are left out of the body. */
function send(method: 'POST' | 'PATCH' | 'PUT', path: string, body: object): SupplierHttpCall {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  return { method, path, headers, body: JSON.stringify(body) };
}
