import {
  type BookRequest,
  type CancelResult,
  isSameNumber,
  type ModifyRequest,
  type SupplierBooking,
} from '../../model/bookings.js';
import { isCurrency, optionalAmount } from '../../model/money.js';
import { type Refusal, SupplierError } from '../../model/supplier.js';
import { oneWarning, Warnings } from '../../model/warnings.js';
import { amountIn, notNegative } from './amounts.js';
import { bookingOf, NUMBER_TYPES, type Reservation, readReservation, statusOfReservation } from './booking-mapping.js';
import { type BookingReply, throwFailure } from './booking-reply.js';
import type { OtaOptions } from './options.js';
import { type ReservationStatus, statusOfWord } from './status-words.js';
import { attribute, child, childrenNamed, items, type XmlNode } from './wire.js';

/**
 * The result of OTA_VehResRS. Throws SupplierError: the fault of its Errors, or `bad_payload` for a success that has no
 * confirmation number or contradicts itself, because its outcome is unknown.
 */
export function bookedOf(reply: BookingReply, request: BookRequest, options: OtaOptions): SupplierBooking {
  const reservation = writtenReservation(reply, 'VehResRSCore', 'ReservationStatus', options);
  if (reservation) return bookingOf(reservation, request.reference, options);
  if (!reply.failure) throw new SupplierError('bad_payload', 'OTA_VehResRS without a confirmation number');
  // When booking, the quote is the only thing that can be unknown to the supplier.
  if (reply.failure.refusal === 'not_found') throwFailure({ ...reply.failure, refusal: 'rate_expired' });
  return throwFailure(reply.failure);
}

/**
 * The result of OTA_VehModifyRS; throws like `bookedOf`, and `bad_payload` if it is about another booking. A denied change leaves the reservation
 * unchanged: `rejected`.
 */
export function modifiedOf(reply: BookingReply, request: ModifyRequest, options: OtaOptions): SupplierBooking {
  const word = attribute(child(reply.root, 'VehModifyRSCore'), 'ModifyStatus');
  const status = word === undefined ? undefined : statusOfWord(word, options.statusWords);
  if (!reply.hasErrors && (status === 'rejected' || status === 'unchanged'))
    throw refused('the change was denied', 'not_changeable');
  const reservation = writtenReservation(reply, 'VehModifyRSCore', 'ModifyStatus', options);
  if (!reservation && reply.failure) throwFailure(reply.failure);
  const { confirmationNumber } = request;
  // As in retrieval, any identifier may be the number by which the booking is called.
  if (reservation && !reservation.ids.some((id) => isSameNumber(id, confirmationNumber)))
    throw new SupplierError('bad_payload', 'OTA_VehModifyRS about another booking');
  const booking = reservation && bookingOf({ ...reservation, confirmationNumber }, request.reference, options);
  if (booking?.status === 'confirmed' || booking?.status === 'on_request') return booking;
  throw new SupplierError('bad_payload', 'OTA_VehModifyRS without an active reservation');
}

/**
 * The result of OTA_VehCancelRS for the booking with a number; already cancelled is a success. Throws SupplierError: the fault of its
 * Errors, `unavailable` while the cancellation is pending, or `bad_payload` if it has no result or is about another booking.
 */
export function cancelledOf(
  { root, hasErrors, failure }: BookingReply,
  number: string,
  options: OtaOptions,
): CancelResult {
  const core = child(root, 'VehCancelRSCore');
  const word = attribute(core, 'CancelStatus');
  if (failure && (hasErrors || word === undefined)) {
    if (failure.fault === 'rejected' && [...failure.reasons].every((reason) => reason === 'already_cancelled'))
      return {};
    throwFailure(failure);
  }
  const ids = idsOf(root, core);
  const numbers = numbersOf(ids);
  if (numbers.length > 0 && !numbers.some((one) => isSameNumber(one, number)))
    throw new SupplierError('bad_payload', 'OTA_VehCancelRS about another booking');
  refuseContradiction(word, reservationOf(root), options);
  switch (word === undefined ? undefined : statusOfWord(word, options.statusWords)) {
    case 'cancelled':
      return { ...feeOf(root, core, options), cancellationNumber: cancellationNumberOf(ids) };
    case 'pending_cancellation':
    case 'on_request':
      throw new SupplierError('unavailable', 'the cancellation is pending');
    case 'rejected':
    case 'unchanged':
      throw refused('the cancellation was denied', 'not_changeable');
    default:
      throw new SupplierError('bad_payload', 'OTA_VehCancelRS without a conclusive status');
  }
}

/**
 * The reservation of an answer with a clear result: it has a number, or was denied. Throws `bad_payload` if the answer contradicts itself: Errors beside a
 * number, a failure beside a reservation that was made, two words for its status, or two numbers.
 */
function writtenReservation(
  reply: BookingReply,
  coreName: 'VehResRSCore' | 'VehModifyRSCore',
  statusName: string,
  options: OtaOptions,
): Reservation | undefined {
  const core = child(reply.root, coreName);
  const nodes = childrenNamed(core, 'VehReservation');
  const node = nodes[0] ?? core;
  const word = attribute(core, statusName);
  const reservation = node && readReservation(node, word);
  if (!reservation) return undefined;
  const numbers = new Set(nodes.flatMap((one) => readReservation(one).numbers.map((number) => number.toUpperCase())));
  if (numbers.size > 1) throw new SupplierError('bad_payload', 'reservations with several numbers');
  refuseContradiction(word, nodes[0], options);
  const { confirmationNumber, ids, statusWord } = reservation;
  if (confirmationNumber === undefined) {
    if (!reply.failure) return statusOfReservation(reservation, options) === 'rejected' ? reservation : undefined;
    // The answer to a refused change may repeat the reservation, which exists.
    const isActive = ACTIVE.get(statusOfWord(statusWord ?? '', options.statusWords) ?? 'unchanged');
    if (coreName === 'VehResRSCore' && (isActive ?? ids.length > 0))
      throw new SupplierError('bad_payload', 'a reservation together with a failure');
    return undefined;
  }
  if (reply.hasErrors) throw new SupplierError('bad_payload', 'a reservation together with Errors');
  return reservation;
}

/** Throws `bad_payload` if one of the words for the status of a reservation says that it is active, and the other one that it isn't. */
function refuseContradiction(word: string | undefined, node: XmlNode | undefined, options: OtaOptions): void {
  const inner = attribute(node, 'ReservationStatus') ?? attribute(node, 'Status');
  if (word === undefined || inner === undefined) return;
  const [one, other] = [word, inner].map((text) => ACTIVE.get(statusOfWord(text, options.statusWords) ?? 'unchanged'));
  if (one !== undefined && other !== undefined && one !== other)
    throw new SupplierError('bad_payload', 'two words for the status of a reservation');
}

/** Whether a reservation is active; other statuses leave it open. */
const ACTIVE: ReadonlyMap<ReservationStatus, boolean> = new Map([
  ['confirmed', true],
  ['on_request', true],
  ['rejected', false],
  ['cancelled', false],
]);

function refused(message: string, refusal: Refusal): SupplierError {
  return new SupplierError('rejected', message, true, { refusal });
}

/**
 * The amount of the CancelRule if there is exactly one; with several, it is unknown which one was applied. An amount
 * that can't be read, or without a currency, is left out with a warning.
 */
function feeOf(root: XmlNode, core: XmlNode | undefined, options: OtaOptions): Pick<CancelResult, 'fee' | 'warnings'> {
  const rules = items(core, 'CancelRules', 'CancelRule');
  const [rule] = rules;
  const total = child(child(reservationOf(root), 'VehSegmentCore'), 'TotalCharge');
  const currency = (
    attribute(rule, 'CurrencyCode') ??
    attribute(total, 'CurrencyCode') ??
    options.currency
  )?.toUpperCase();
  if (rules.every((one) => attribute(one, 'Amount') === undefined)) return {};
  const leftOut = (problem: string) => ({ warnings: oneWarning('amount_rejected', `the fee ${problem}: left out`) });
  if (rules.length !== 1) return leftOut('is stated by several rules');
  if (currency === undefined || !isCurrency(currency)) return leftOut('has no readable currency');
  // The booking is cancelled, whatever that cost.
  const warnings = new Warnings();
  const fee = optionalAmount(
    () => notNegative(amountIn(currency, rule, 'Amount', options.money), 'the fee'),
    warnings,
    'the fee',
  );
  return fee ? { fee } : { warnings: warnings.list };
}

function idsOf(root: XmlNode, core: XmlNode | undefined): readonly XmlNode[] {
  return [...childrenNamed(core, 'UniqueID'), ...childrenNamed(child(reservationOf(root), 'VehSegmentCore'), 'ConfID')];
}

/** The numbers of the first type by which bookings are called. */
function numbersOf(ids: readonly XmlNode[]): readonly string[] {
  const ofType = (type: string) =>
    ids.flatMap((id) => (attribute(id, 'Type') === type ? (attribute(id, 'ID') ?? []) : []));
  return NUMBER_TYPES.map(ofType).find((numbers) => numbers.length > 0) ?? [];
}

/** UIT 15. */
function cancellationNumberOf(ids: readonly XmlNode[]): string | undefined {
  return attribute(
    ids.find((id) => attribute(id, 'Type') === '15'),
    'ID',
  );
}

function reservationOf(root: XmlNode): XmlNode | undefined {
  return child(child(root, 'VehCancelRSInfo'), 'VehReservation');
}
