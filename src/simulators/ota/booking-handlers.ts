import { isDeepStrictEqual } from 'node:util';
import { type Money, parseMoney, UnreadableAmountError } from '../../model/money.js';
import { DECLINED_CARD, type SimulatedBooking } from '../bookings.js';
import type { Directive } from '../world.js';
import { OTA_ERRORS, type OtaError, successContent } from './answers.js';
import {
  bookingNamed,
  type HandlerOptions,
  nameOf,
  uniqueId,
  writeReservation,
  writeWarnings,
} from './booking-register.js';
import { rentalCoreElement, statusWord } from './booking-writer.js';
import { cancel } from './cancellation-handlers.js';
import { locationElement } from './location-writer.js';
import { type Quote, quote } from './quotes.js';
import { type QuestionParts, type RentalQuestion, readQuestion } from './rental-reader.js';
import { retrieve } from './retrieval-handlers.js';
import { availSetting, rateRuleContent } from './vehicle-writer.js';
import { attribute, child, textOf, type XmlNode } from './wire.js';
import { element } from './wire-writer.js';

/** The part of an OTA supplier that prices, books, finds, changes and cancels. */
export interface BookingHandlers {
  /** Content of the answer; undefined for a message that these handlers do not support. */
  contentFor(root: XmlNode, directive: Directive): string | OtaError | undefined;
  /** Whether a message with that name books, changes or cancels. */
  changesBookings(messageName: string | undefined): boolean;
}

const CHANGING: ReadonlySet<string> = new Set(['OTA_VehResRQ', 'OTA_VehModifyRQ', 'OTA_VehCancelRQ']);

/** Creates the handlers for a supplier's inventories and ledger. */
export function createBookingHandlers(options: HandlerOptions): BookingHandlers {
  return {
    contentFor(root, directive) {
      switch (root.name) {
        case 'OTA_VehRateRuleRQ':
          return rateRule(root, directive, options);
        case 'OTA_VehResRQ':
          return reserve(root, directive, options);
        case 'OTA_VehModifyRQ':
          return modify(root, directive, options);
        case 'OTA_VehCancelRQ':
          return cancel(root, directive, options);
        case 'OTA_VehRetResRQ':
          return retrieve(root, options);
        default:
          return undefined;
      }
    },
    changesBookings: (name) => name !== undefined && CHANGING.has(name),
  };
}

function rateRule(root: XmlNode, directive: Directive, options: HandlerOptions): string | OtaError {
  const { dialect } = options;
  const info = child(root, 'RentalInfo');
  const question = questionOf(
    {
      core: info,
      vehicle: child(info, 'VehicleInfo'),
      info,
      vendor: root,
      pointOfSale: child(root, 'POS'),
      quoted: root,
    },
    options,
  );
  if ('code' in question) return question;
  if (directive.verb === 'sold_out') return OTA_ERRORS.soldOut;
  if (directive.verb === 'empty') return dialect.emptyAs === 'error' ? OTA_ERRORS.noCars : successContent('');
  const priced = quote(question, percentOf(directive));
  if ('code' in priced) return priced;
  const { pickup, dropoff, asked } = question;
  const setting = {
    ...availSetting({ ...question, ...asked }, dialect, directive.verb === 'on_request'),
    chosen: question,
  };
  const locations = [pickup, dropoff].map((location) =>
    locationElement('LocationDetails', location, dialect.locationTemplate),
  );
  return successContent(
    rentalCoreElement(asked) + rateRuleContent(priced.offer, priced.rate, setting) + locations.join(''),
  );
}

function reserve(root: XmlNode, directive: Directive, options: HandlerOptions): string | OtaError {
  const core = child(root, 'VehResRQCore');
  const info = child(root, 'VehResRQInfo');
  const question = questionOf(reservationParts(root, core, info), options);
  if ('code' in question) return question;
  const renter = renterOf(core, info);
  if ('code' in renter) return renter;
  const priced = acceptedQuote(question, core, directive, options);
  if ('code' in priced) return priced;
  const refused = paymentError(info);
  if (refused) return refused;
  const { ledger, now } = options;
  const isRequest = directive.verb === 'on_request' || priced.offer.car.onRequest;
  const booking = ledger.put({
    ...bookedRental(question, priced),
    ...renter,
    confirmation: ledger.freshNumber((digits) => `${question.vendor}${digits.slice(-9)}`),
    reference: uniqueId(core, '16') ?? attribute(root, 'TransactionIdentifier') ?? '',
    status: isRequest ? 'on_request' : 'confirmed',
    createdAt: now(),
  });
  if (directive.verb === 'empty') return successContent('');
  return reserved('VehResRSCore', { ReservationStatus: statusWord(booking) }, booking, options);
}

function modify(root: XmlNode, directive: Directive, options: HandlerOptions): string | OtaError {
  const core = child(root, 'VehModifyRQCore');
  const info = child(root, 'VehModifyRQInfo');
  const before = bookingNamed(core, options.ledger);
  if ('code' in before) return before;
  if (before.status === 'cancelled') return OTA_ERRORS.alreadyCancelled;
  if (before.status !== 'confirmed' && before.status !== 'on_request') return OTA_ERRORS.noChange;
  const question = questionOf(reservationParts(root, core, info), options);
  if ('code' in question) return question;
  const renter = renterOf(core, info);
  if ('code' in renter) return renter;
  const after = changed(before, question, core, directive, options);
  if ('code' in after) return after;
  const booking = options.ledger.put({ ...after, ...renter });
  if (directive.verb === 'empty') return successContent('');
  const word = booking.status === 'confirmed' ? 'Modified' : statusWord(booking);
  return reserved('VehModifyRSCore', { ModifyStatus: word }, booking, options);
}

/** The booking with the new rental. A change that does not affect the price keeps the booked price. */
function changed(
  before: SimulatedBooking,
  question: RentalQuestion,
  core: XmlNode | undefined,
  directive: Directive,
  options: HandlerOptions,
): SimulatedBooking | OtaError {
  const { countryCode, ...rental } = rentalOf(question);
  if (isDeepStrictEqual({ ...before, ...rental }, before)) return before;
  const priced = acceptedQuote(question, core, directive, options);
  return 'code' in priced ? priced : { ...before, ...bookedRental(question, priced) };
}

/** The parts of a rental that a booking stores. All except the residence determine the price. */
function rentalOf({
  asked,
  vendor,
  pickup,
  dropoff,
  age,
  sippCode,
  rateCode,
  extras,
  coverages,
  countryCode,
}: RentalQuestion) {
  const { pickupDate, dropoffDate } = asked;
  const places = { pickupCode: pickup.code, dropoffCode: dropoff.code };
  return { brand: vendor, ...places, pickupDate, dropoffDate, sippCode, rateCode, age, extras, coverages, countryCode };
}

function bookedRental(question: RentalQuestion, { rate, currency, total }: Quote) {
  return { ...rentalOf(question), prepaid: rate.prepaid, currency, total };
}

/** The current price of a rental, or an error if the renter accepted a lower or unreadable one (TotalCharge of `core`). */
function acceptedQuote(
  question: RentalQuestion,
  core: XmlNode | undefined,
  directive: Directive,
  { dialect }: HandlerOptions,
): Quote | OtaError {
  if (directive.verb === 'sold_out') return OTA_ERRORS.soldOut;
  const priced = quote(question, percentOf(directive));
  if ('code' in priced) return priced;
  const accepted = acceptedTotal(core, priced.currency, dialect);
  if (accepted && 'code' in accepted) return accepted;
  return accepted && accepted.amountMinor < priced.total ? OTA_ERRORS.rateChanged : priced;
}

/** The total that the renter accepted; undefined if the request has none, an error if it can't be read. */
function acceptedTotal(
  core: XmlNode | undefined,
  currency: string,
  { money }: HandlerOptions['dialect'],
): Money | OtaError | undefined {
  try {
    return parseMoney(attribute(child(core, 'TotalCharge'), 'EstimatedTotalAmount'), currency, money);
  } catch (error) {
    if (error instanceof UnreadableAmountError) return OTA_ERRORS.badMessage;
    throw error;
  }
}

type Renter = Pick<SimulatedBooking, 'firstName' | 'lastName' | 'email' | 'phone' | 'flight' | 'remark'>;

/** The renter, the arrival and the remark; an error without first or last name. */
function renterOf(core: XmlNode | undefined, info: XmlNode | undefined): Renter | OtaError {
  const primary = child(child(core, 'Customer'), 'Primary');
  const { firstName, lastName } = nameOf(primary);
  if (firstName === undefined || lastName === undefined) return OTA_ERRORS.missingField;
  const arrival = child(info, 'ArrivalDetails');
  const carrier = attribute(child(arrival, 'OperatingCompany'), 'Code');
  return {
    firstName,
    lastName,
    email: textOf(child(primary, 'Email')),
    phone: attribute(child(primary, 'Telephone'), 'PhoneNumber'),
    flight: arrival && `${carrier ?? ''}${attribute(arrival, 'Number') ?? ''}`,
    remark: textOf(child(child(info, 'Remark'), 'Text')),
  };
}

function paymentError(info: XmlNode | undefined): OtaError | undefined {
  const payment = child(info, 'RentalPaymentPref');
  const card = child(payment, 'PaymentCard');
  const voucher = child(payment, 'Voucher');
  if (voucher && attribute(voucher, 'SeriesCode') === undefined) return OTA_ERRORS.missingField;
  if (!card) return undefined;
  const number = attribute(card, 'CardNumber');
  if (number === undefined || attribute(card, 'ExpireDate') === undefined) return OTA_ERRORS.missingField;
  return number === DECLINED_CARD ? OTA_ERRORS.paymentRejected : undefined;
}

function reservationParts(root: XmlNode, core: XmlNode | undefined, info: XmlNode | undefined): QuestionParts {
  return {
    core,
    info,
    vehicle: child(core, 'VehPref'),
    vendor: child(core, 'VendorPref'),
    pointOfSale: child(root, 'POS'),
    quoted: info,
  };
}

function questionOf(parts: QuestionParts, { inventories, dialect, now }: HandlerOptions): RentalQuestion | OtaError {
  return readQuestion(parts, { inventories, locationTemplate: dialect.locationTemplate, now: now() });
}

function percentOf(directive: Directive): number | undefined {
  return directive.verb === 'price' ? directive.percent : undefined;
}

function reserved(
  name: string,
  status: Readonly<Record<string, string>>,
  booking: SimulatedBooking,
  options: HandlerOptions,
): string {
  return successContent(writeWarnings(booking, options) + element(name, status, writeReservation(booking, options)));
}
