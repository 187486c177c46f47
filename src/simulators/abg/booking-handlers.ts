import type { BookingLedger, SimulatedBooking } from '../bookings.js';
import type { Directive, SimulatedAnswer, SimulatedRequest } from '../world.js';
import {
  type AbgFailure,
  AbgRefusal,
  badRequest,
  CREATED,
  json,
  type Occasion,
  refuse,
  success,
  UPDATED,
} from './answers.js';
import { bookingJson, viewJson } from './booking-writer.js';
import { checkPayment, type Renter, readRenter } from './customer-checks.js';
import { rateGuaranteeOf } from './rates.js';
import { type AbgStock, type PricedRental, RESERVATION_CODES, readRental, requireBrand } from './rental-reader.js';
import { rentalJson } from './rental-writer.js';
import { group, text, type Wire } from './wire.js';

/** One product call; `body` is the body of the request, empty for a GET. */
export interface AbgCall {
  readonly request: SimulatedRequest;
  readonly body: Wire;
  readonly occasion: Occasion;
}

const ALREADY_CANCELLED: AbgFailure = {
  status: 404,
  code: '14036',
  reason: 'Reservation already cancelled',
  details: 'Reservation is already cancelled for the given confirmation_number.',
};

/**
 * POST rates: prices without creating anything. In scenario empty the car is sold out. The answer cannot express on
 * request.
 */
export function answerRates({ request: { directive }, body, occasion }: AbgCall, stock: AbgStock): SimulatedAnswer {
  const gone: Directive = directive.verb === 'empty' ? { verb: 'sold_out' } : directive;
  const priced = readRental(body, gone, stock, occasion.now);
  const members = { product: productJson(body), reservation: rentalJson(priced, body) };
  return success('The vehicle rate was successfully retrieved.', members, occasion);
}

/**
 * POST reservation. Not idempotent: the same transaction_id books again. In scenario price it books at the new price
 * without asking.
 */
export function createReservation(
  { request: { directive }, body, occasion }: AbgCall,
  stock: AbgStock,
): SimulatedAnswer {
  const { ledger } = stock;
  const { priced, renter } = readReservation(body, directive, stock, occasion);
  const booking = ledger.put({
    ...entryOf(priced, renter, body, directive),
    confirmation: ledger.freshNumber(
      (digits) => `${digits.slice(1, 9)}${priced.rental.pickup.countryCode}${digits.slice(9)}`,
    ),
    reference: occasion.transactionId ?? '',
    createdAt: occasion.now,
  });
  return success(
    'The reservation was successfully created.',
    written(booking, priced, body, directive),
    occasion,
    CREATED,
  );
}

/** PATCH reservation: takes the complete body of a create and prices it again. Keeps number and reference. */
export function updateReservation(
  { request: { directive }, body, occasion }: AbgCall,
  stock: AbgStock,
): SimulatedAnswer {
  const { ledger } = stock;
  const { priced, renter } = readReservation(body, directive, stock, occasion);
  const known = livingBooking(ledger, body);
  const entry = entryOf(priced, renter, body, directive);
  const { confirmation, reference } = known;
  // An on-request decision starts again.
  const createdAt = entry.status === 'on_request' ? occasion.now : known.createdAt;
  const booking = ledger.put({ ...entry, confirmation, reference, createdAt });
  return success(
    'The reservation was successfully updated.',
    written(booking, priced, body, directive),
    occasion,
    UPDATED,
  );
}

/**
 * PATCH partial-modify: changes contact and flight, and keeps the flight if none is sent. Answers only a status, and
 * nothing in scenario empty.
 */
export function updatePartially(
  { request: { directive }, body, occasion }: AbgCall,
  { ledger }: AbgStock,
): SimulatedAnswer {
  const renter = readRenter(body);
  checkPayment(body);
  if (body.rate_totals === undefined) throw new AbgRefusal(badRequest("Missing required field 'rate_totals'"));
  ledger.put({ ...livingBooking(ledger, body), ...renter });
  return directive.verb === 'empty'
    ? json(200, {})
    : success('The reservation was successfully updated.', {}, occasion);
}

/** PUT reservation: cancels. Answers only a status, and nothing in scenario empty. */
export function cancelReservation(
  { request: { directive }, body, occasion }: AbgCall,
  { ledger }: AbgStock,
): SimulatedAnswer {
  ledger.put({ ...livingBooking(ledger, body), status: 'cancelled' });
  if (directive.verb === 'empty') return json(200, {});
  return success('The reservation was successfully cancelled.', { product: productJson(body) }, occasion);
}

/**
 * GET reservation, by number and last name. A rejected booking is still shown, as denied. With `modify=true`, it has the
 * proof that keeps the booked rate.
 */
export function viewReservation(
  { request: { query }, occasion }: AbgCall,
  { inventories, ledger }: AbgStock,
): SimulatedAnswer {
  const brand = query.get('brand') ?? '';
  const booking = findBooking(ledger, brand, query.get('confirmation_number') ?? '', query.get('last_name') ?? '');
  if (booking.status === 'cancelled') throw new AbgRefusal(ALREADY_CANCELLED);
  const proof = query.get('modify') === 'true' ? rateGuaranteeOf(booking) : undefined;
  const members = { product: { brand }, reservation: viewJson(booking, inventories, proof) };
  return success('The reservation was successfully retrieved.', members, occasion);
}

function readReservation(
  body: Wire,
  directive: Directive,
  stock: AbgStock,
  { now }: Occasion,
): { readonly priced: PricedRental; readonly renter: Renter } {
  const renter = readRenter(body);
  checkPayment(body);
  return { priced: readRental(body, directive, stock, now, RESERVATION_CODES), renter };
}

/** The booking identified by brand, number and last name in a body; 14036 if it is cancelled or rejected. */
function livingBooking(ledger: BookingLedger, body: Wire): SimulatedBooking {
  const number = text(group(group(body.reservation).confirmation).number) ?? '';
  const lastName = text(group(group(body.customer).contact).last_name) ?? '';
  const booking = findBooking(ledger, text(group(body.product).brand) ?? '', number, lastName);
  if (booking.status === 'cancelled' || booking.status === 'rejected') throw new AbgRefusal(ALREADY_CANCELLED);
  return booking;
}

/** Answers a wrong number like a wrong name, so that guessing reveals nothing. */
function findBooking(ledger: BookingLedger, brand: string, number: string, lastName: string): SimulatedBooking {
  if (brand === '') refuse('200', 'Brand is a required field');
  requireBrand(brand);
  if (number === '') refuse('220', 'Confirmation number is required');
  if (lastName === '') refuse('212', 'last_name is required');
  const booking = ledger.byConfirmation(number.toUpperCase());
  const isMeant = booking?.brand === brand && booking.lastName.toLowerCase() === lastName.toLowerCase();
  return isMeant ? booking : refuse('150004', 'last_name and confirmation_number combination is invalid.');
}

function entryOf(
  { brand, countryCode, rental, offer, rateCode, prepaid, options, total }: PricedRental,
  renter: Renter,
  body: Wire,
  directive: Directive,
): Omit<SimulatedBooking, 'confirmation' | 'reference' | 'createdAt'> {
  const remark = text(group(body.reservation).remark);
  return {
    status: offer.car.onRequest || directive.verb === 'on_request' ? 'on_request' : 'confirmed',
    brand,
    ...renter,
    pickupCode: rental.pickup.code,
    dropoffCode: rental.dropoff.code,
    pickupDate: rental.pickupDate,
    dropoffDate: rental.dropoffDate,
    sippCode: offer.car.sippCode,
    rateCode,
    ratePercents: { pricePercent: rental.pricePercent ?? 0, discountPercent: rental.discountPercent ?? 0 },
    prepaid,
    age: rental.age,
    countryCode,
    currency: offer.price.currency,
    total,
    extras: options.extras
      .filter(({ quantity }) => quantity > 0)
      .map(({ extra, quantity }) => ({ code: extra.abgCode, quantity })),
    coverages: options.coverages.filter(({ chosen }) => chosen).map(({ coverage }) => coverage.abgCode),
    ...(remark !== undefined && { remark }),
  };
}

/** Nothing in scenario empty: the work is done, but the answer does not show it. */
function written(booking: SimulatedBooking, priced: PricedRental, body: Wire, directive: Directive): object {
  if (directive.verb === 'empty') return {};
  return {
    product: productJson(body),
    reservation: { ...rentalJson(priced, body), ...bookingJson(booking, priced.offer.car) },
  };
}

function productJson(body: Wire): object {
  const { brand, iata_number } = group(body.product);
  return { brand, iata_number };
}
