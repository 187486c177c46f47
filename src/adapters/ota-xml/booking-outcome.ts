import {
  type BookRequest,
  type CancelResult,
  isSameCode,
  type ModifyRequest,
  type SupplierBooking,
} from '../../model/bookings.js';
import { showsChange } from '../../model/contradicted-refusal.js';
import { type Refusal, SupplierError } from '../../model/supplier.js';
import { CANCELLATION_TYPE, idsOfType, isListed, NUMBER_TYPES } from './booking-ids.js';
import {
  bookingOf,
  namesCancellation,
  type Reservation,
  readReservation,
  renumbered,
  statusOfReservation,
} from './booking-mapping.js';
import { type BookingReply, throwFailure, unstatedStatus } from './booking-reply.js';
import { type CancelledAt, feeOf } from './cancel-fee.js';
import type { OtaOptions } from './options.js';
import { type ReservationStatus, statusOfCancellation, statusOfWord } from './status-words.js';
import { attribute, child, childrenNamed, type XmlNode } from './wire.js';

/**
 * The result of OTA_VehResRS. Throws SupplierError: the fault of its Errors, or `bad_payload` for a success that has no
 * confirmation number or contradicts itself, because its outcome is unknown.
 */
export function bookedOf(reply: BookingReply, request: BookRequest, options: OtaOptions): SupplierBooking {
  const reservation = writtenReservation(reply, 'VehResRSCore', 'ReservationStatus', options, request);
  if (reservation) return bookingOf(reservation, request.reference, options);
  if (!reply.failure) {
    const hint = showsBooked(reply.root, request, options) ? '; see the option numberTypes' : '';
    throw new SupplierError('bad_payload', `OTA_VehResRS without a confirmation number${hint}`);
  }
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
  if (reply.failure && reply.hasErrors) throwFailure(reply.failure);
  if (status === 'rejected' || status === 'unchanged') throw refused('the change was denied', 'not_changeable');
  const { confirmationNumber } = request;
  const called = (found: Reservation) => renumbered(found, confirmationNumber, request.before?.ref);
  const reservation = writtenReservation(reply, 'VehModifyRSCore', 'ModifyStatus', options, request, called);
  if (!reservation && reply.failure) throwFailure(reply.failure);
  // As in retrieval, any identifier may be the number by which the booking is called.
  if (reservation && !reservation.ids.some((id) => isSameCode(id, confirmationNumber)))
    throw new SupplierError('bad_payload', 'OTA_VehModifyRS about another booking');
  const booking = reservation && bookingOf(called(reservation), request.reference, options);
  if (booking?.status === 'confirmed' || booking?.status === 'on_request') return booking;
  throw new SupplierError('bad_payload', 'OTA_VehModifyRS without an active reservation');
}

/** The booking that a cancellation is for, by its number; `former` are those that it had before, which are not those of a cancellation. */
export interface Called {
  readonly number: string;
  readonly former: readonly string[];
}

/**
 * The result of OTA_VehCancelRS for a booking; already cancelled is a success. Throws SupplierError: the fault of its
 * Errors, `unavailable` while the cancellation is pending, or `bad_payload` if it has no result or is about another booking.
 */
export function cancelledOf(reply: BookingReply, called: Called, options: OtaOptions, at: CancelledAt): CancelResult {
  const { root, hasErrors, failure } = reply;
  const core = child(root, 'VehCancelRSCore');
  const word = attribute(core, 'CancelStatus');
  const ids = idsOf(root, core);
  if (failure && (hasErrors || word === undefined)) {
    if (failure.fault === 'rejected' && [...failure.reasons].every((reason) => reason === 'already_cancelled'))
      return {};
    throwFailure(failure);
  }
  const numbers = numbersOf(ids);
  if (numbers.length > 0 && !numbers.some((one) => isSameCode(one, called.number)))
    throw new SupplierError('bad_payload', 'OTA_VehCancelRS about another booking');
  switch (cancellationStatus(word, ids, called, reply, options)) {
    case 'cancelled':
      refuseContradiction(false, reservationOf(root), options);
      return {
        ...feeOf(core, reservationOf(root), options, at),
        cancellationNumber: cancellationNumberOf(ids, called),
      };
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
 * Without a word of its own for a cancellation, only a Success without any failure shows it: by the word that it is committed, or a number. A word
 * that a reservation has beside them says more.
 */
function cancellationStatus(
  word: string | undefined,
  ids: readonly XmlNode[],
  called: Called,
  { root, success, failure, hasUnknownWarnings }: BookingReply,
  options: OtaOptions,
): ReservationStatus | undefined {
  const status = statusOfWord(word ?? '', options.statusWords);
  if (!success || failure || hasUnknownWarnings) return status;
  const byNumber = namesOther(ids, called) ? 'cancelled' : undefined;
  const shown = word === undefined ? byNumber : statusOfCancellation(word, options.statusWords);
  if (shown !== 'cancelled' || status === 'cancelled') return shown;
  const own = [child(root, 'VehCancelRSCore'), child(root, 'VehCancelRSInfo')]
    .flatMap((holder) => childrenNamed(holder, 'VehReservation'))
    .flatMap((node) => readReservation(node).statusWord ?? []);
  const statuses = own.map((one) => statusOfWord(one, options.statusWords)).filter((one) => one !== 'cancelled');
  if (statuses.length === 0) return 'cancelled';
  return statuses.every((one) => one === 'pending_cancellation') ? 'pending_cancellation' : undefined;
}

/** Whether an OTA_VehResRS shows a booking, whatever its Errors say: it is active, or has an identifier besides our reference and isn't known to be denied. */
export function showsBooked(root: XmlNode, request: BookRequest, options: OtaOptions): boolean {
  const reservation = reservationIn(child(root, 'VehResRSCore'), 'ReservationStatus', options, request);
  if (!reservation) return false;
  const isReference = (id: string) => isSameCode(id, request.reference);
  return activityOf(reservation.statusWord, options) ?? !reservation.ids.every(isReference);
}

/**
 * Whether an OTA_VehModifyRS shows the change, whatever its Errors say. That the reservation itself is called modified may
 * be due to an earlier change; one that is itself called denied repeats the request.
 */
export function showsModified(root: XmlNode, request: ModifyRequest, options: OtaOptions): boolean {
  const core = child(root, 'VehModifyRSCore');
  if (attribute(core, 'ModifyStatus')?.toLowerCase() === 'modified') return true;
  const reservation = reservationIn(core, 'ModifyStatus', options, request);
  if (!reservation) return false;
  const { ids, confirmationNumber: first } = reservation;
  const isOwn = first === undefined || ids.some((id) => isSameCode(id, request.confirmationNumber));
  const confirmationNumber = isOwn ? request.confirmationNumber : first;
  // Only its number, dates and extras count here.
  const stated = bookingOf({ ...reservation, confirmationNumber, statusWord: undefined }, '', options);
  const { before, ...asked } = request;
  const isDenied = statusOfWord(ownWordOf(child(core, 'VehReservation')) ?? '', options.statusWords) === 'rejected';
  return showsChange(stated, before && !isDenied ? { ...asked, before } : asked);
}

/** Whether an OTA_VehCancelRS shows the cancellation of a booking, whatever its Errors say: by a word, or by a number other than the booking's. */
export function showsCancelled(root: XmlNode, called: Called, options: OtaOptions): boolean {
  const core = child(root, 'VehCancelRSCore');
  const statuses = [
    statusOfCancellation(attribute(core, 'CancelStatus') ?? '', options.statusWords),
    statusOfWord(ownWordOf(reservationOf(root)) ?? '', options.statusWords),
  ];
  return (
    statuses.includes('cancelled') || statuses.includes('pending_cancellation') || namesOther(idsOf(root, core), called)
  );
}

/**
 * The reservation of an answer with a clear result: it has a number and no Errors, or was denied. Throws `bad_payload` if
 * the answer contradicts itself: two words for its status, two numbers, or no such word and a Warning that it failed. `called`
 * is the reservation as one that was called by its number.
 */
function writtenReservation(
  reply: BookingReply,
  coreName: 'VehResRSCore' | 'VehModifyRSCore',
  statusName: string,
  options: OtaOptions,
  request: BookRequest,
  called = (found: Reservation) => found,
): Reservation | undefined {
  const core = child(reply.root, coreName);
  const found = reservationIn(core, statusName, options, request);
  if (!found) return undefined;
  const reservation = { ...found, extraNotices: reply.extraNotices };
  const nodes = childrenNamed(core, 'VehReservation');
  const numbers = new Set(
    nodes.flatMap(
      (one) =>
        readReservation(one)
          .numbers.get('14')
          ?.map((number) => number.toUpperCase()) ?? [],
    ),
  );
  if (numbers.size > 1) throw new SupplierError('bad_payload', 'reservations with several numbers');
  refuseContradiction(activityOf(attribute(core, statusName), options), nodes[0], options);
  if (reply.hasErrors) return undefined;
  const { numberType, statusWord } = reservation;
  // Only OpenTravel's types of numbers decide without a word, or beside a failure.
  if (numberType !== undefined && (isListed(numberType) || (statusWord !== undefined && !reply.failure)))
    return statusWord === undefined
      ? { ...reservation, unstated: unstatedOf(called(reservation), reply) }
      : reservation;
  return !reply.failure && statusOfReservation(reservation, options) === 'rejected' ? reservation : undefined;
}

/** What was booked or changed isn't cancelled, so a number that says so leaves it unclear. */
function unstatedOf(reservation: Reservation, reply: BookingReply): Reservation['unstated'] {
  const status = unstatedStatus(reply);
  return namesCancellation(reservation) ? 'unclear' : status;
}

function reservationIn(
  core: XmlNode | undefined,
  statusName: string,
  { numberTypes }: OtaOptions,
  request: BookRequest,
): Reservation | undefined {
  const node = child(core, 'VehReservation') ?? core;
  return node && readReservation(node, attribute(core, statusName), numberTypes, request);
}

/** Throws `bad_payload` if the reservation itself has a word for its status that says the contrary. */
function refuseContradiction(isActive: boolean | undefined, node: XmlNode | undefined, options: OtaOptions): void {
  const own = activityOf(ownWordOf(node), options);
  if (isActive !== undefined && own !== undefined && isActive !== own)
    throw new SupplierError('bad_payload', 'two words for the status of a reservation');
}

/** The word for its status in a reservation itself. */
function ownWordOf(node: XmlNode | undefined): string | undefined {
  return attribute(node, 'ReservationStatus') ?? attribute(node, 'Status');
}

/** Whether a reservation is active according to the word for its status; undefined if that leaves it open. */
function activityOf(word: string | undefined, options: OtaOptions): boolean | undefined {
  return ACTIVE.get(statusOfWord(word ?? '', options.statusWords) ?? 'unchanged');
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

function idsOf(root: XmlNode, core: XmlNode | undefined): readonly XmlNode[] {
  return [...childrenNamed(core, 'UniqueID'), ...childrenNamed(child(reservationOf(root), 'VehSegmentCore'), 'ConfID')];
}

/** The numbers of the first type by which bookings are called. */
function numbersOf(ids: readonly XmlNode[]): readonly string[] {
  return NUMBER_TYPES.map((type) => idsOfType(ids, type)).find((numbers) => numbers.length > 0) ?? [];
}

/** Whether identifiers have the number of a cancellation, which isn't the booking's. */
function namesOther(ids: readonly XmlNode[], called: Called): boolean {
  const cancellation = cancellationNumberOf(ids, called);
  return cancellation !== undefined && !isSameCode(cancellation, called.number);
}

function cancellationNumberOf(ids: readonly XmlNode[], { former }: Called): string | undefined {
  return idsOfType(ids, CANCELLATION_TYPE).find((one) => !former.some((number) => isSameCode(number, one)));
}

function reservationOf(root: XmlNode): XmlNode | undefined {
  return child(child(root, 'VehCancelRSInfo'), 'VehReservation');
}
