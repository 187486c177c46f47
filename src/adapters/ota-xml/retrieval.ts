import { type BookingKey, isSameCode, type SupplierBooking } from '../../model/bookings.js';
import { type SupplierAnswer, SupplierError } from '../../model/supplier.js';
import { allWarnings, Warnings } from '../../model/warnings.js';
import {
  bookingOf,
  type Reservation,
  readReservation,
  renumbered,
  statusOfReservation,
  withFormer,
} from './booking-mapping.js';
import { type BookingReply, throwFailure, unstatedStatus } from './booking-reply.js';
import { judgeEmpty, NO_RESERVATIONS, NONE_FOUND, refuseStrangers } from './empty-answers.js';
import type { OtaOptions } from './options.js';
import { child, childrenNamed, items, type XmlNode } from './wire.js';

/** The two ways to retrieve with OTA_VehRetResRQ. */
export interface RetrievalCalls<T = BookingReply> {
  byNumber(confirmationNumber: string): Promise<T>;
  byRenter(): Promise<T>;
}

type Reads = RetrievalCalls<readonly Reservation[]>;

/** Maximum reservations of one renter at one time and place that are read in detail. */
const DETAILS_LIMIT = 10;

/**
 * Finds a booking: by its number if known, otherwise among the renter's by our reference. Empty only if the supplier
 * clearly has none (docs/trade.md#empty-answers). If several active ones have our reference, all are returned (a duplicate booking). Throws
 * SupplierError `bad_payload` if it is unclear whether one is the gateway's, and `rejected` if there is no number and the
 * supplier doesn't return our reference.
 */
export async function retrieveBookings(
  key: BookingKey,
  calls: RetrievalCalls,
  options: OtaOptions,
): Promise<SupplierAnswer<SupplierBooking>> {
  const { confirmationNumber } = key;
  if (confirmationNumber === undefined && !options.repeatsReference)
    throw new SupplierError('rejected', 'the supplier can find bookings only by number', false);
  const warnings = new Warnings();
  const reads: Reads = {
    byNumber: async (number) => {
      const reply = await calls.byNumber(number);
      return isCancelledOnly(reply) ? [CANCELLED] : reservationsOf(reply, options, warnings, key);
    },
    byRenter: async () => reservationsOf(await calls.byRenter(), options, warnings, key),
  };
  const reservations =
    confirmationNumber === undefined
      ? await ownReservations(key, reads, options)
      : await reservationsOfNumber(confirmationNumber, reads, key.ref);
  const bookings = reservations.map((reservation) => bookingOf(reservation, key.reference, options));
  return { items: bookings, warnings: [...warnings.list, ...allWarnings(bookings)] };
}

/** The reservation with a number, or the one that has replaced it (`renumbered`); empty if there is none. */
async function reservationsOfNumber(
  confirmationNumber: string,
  reads: Reads,
  ref?: SupplierBooking['ref'],
): Promise<readonly Reservation[]> {
  const reservations = await reads.byNumber(confirmationNumber);
  if (reservations.length === 0) return [];
  const [first] = reservations;
  if (reservations.length === 1 && first?.ids.length === 0) return [{ ...first, confirmationNumber }];
  const named = reservations.find(({ ids }) => ids.some((id) => isSameCode(id, confirmationNumber)));
  if (!named) throw new SupplierError('bad_payload', 'the supplier returned a different reservation');
  return [renumbered(named, confirmationNumber, ref)];
}

/**
 * The renter's reservations with our reference. One without any reference may be another customer's with the same name,
 * time and place, so it is never taken for ours; nor can it be ruled out while it is active.
 */
async function ownReservations(key: BookingKey, reads: Reads, options: OtaOptions): Promise<readonly Reservation[]> {
  const isOwn = ({ references }: Reservation) => references.some((one) => isSameCode(one, key.reference));
  const listed = await reads.byRenter();
  const candidates = await inDetail(
    listed.filter((reservation) => reservation.references.length === 0 || isOwn(reservation)),
    reads,
  );
  // A new one that the supplier made for a change names the one before as cancelled.
  const own = candidates.filter(isOwn).map((found) => withFormer(found, key.formerNumber, key.ref));
  if (own.length === 0 && candidates.some((reservation) => isActive(reservation, options)))
    throw new SupplierError('bad_payload', 'ambiguous: an active reservation of the renter has no reference');
  const active = own.filter((reservation) => isActive(reservation, options));
  return active.length > 0 ? active : own.slice(0, 1);
}

/** Summaries lack the deciding members (status, reference), so each is retrieved by its number. */
async function inDetail(reservations: readonly Reservation[], reads: Reads): Promise<readonly Reservation[]> {
  if (reservations.length > DETAILS_LIMIT)
    throw new SupplierError('bad_payload', `more than ${DETAILS_LIMIT} reservations of one renter`);
  const detailed: Reservation[] = [];
  for (const reservation of reservations) {
    if (!reservation.isSummary) {
      detailed.push(reservation);
      continue;
    }
    const { confirmationNumber } = reservation;
    const [details] = confirmationNumber === undefined ? [] : await reservationsOfNumber(confirmationNumber, reads);
    if (!details) throw new SupplierError('bad_payload', 'a listed reservation could not be read');
    detailed.push(details.references.length > 0 ? details : { ...details, references: reservation.references });
  }
  return detailed;
}

function isActive(reservation: Reservation, options: OtaOptions): boolean {
  const status = statusOfReservation(reservation, options);
  return status !== 'cancelled' && status !== 'rejected';
}

/** A reservation of which the supplier says only that it is cancelled. */
const CANCELLED: Reservation = {
  ...readReservation({ name: 'VehReservation', attributes: {}, children: [], text: '' }),
  unstated: 'cancelled',
};

/** Whether the answer about one number has no reservation, and only this reason for that. Throws `bad_payload` if it has other content. */
function isCancelledOnly(reply: BookingReply): boolean {
  const { root, failure, hasUnknownWarnings, saysCancelled } = reply;
  const isReason = failure ? failure.reasons.size === 1 && failure.reasons.has('already_cancelled') : saysCancelled;
  if (!isReason || hasUnknownWarnings || reservationNodes(reply).length > 0) return false;
  refuseStrangers(withoutHollow(root), NONE_FOUND);
  return true;
}

/** The reservations in the reply, in order; empty if it clearly has none. `warnings` gets what is odd about an empty one. */
function reservationsOf(
  reply: BookingReply,
  options: OtaOptions,
  warnings: Warnings,
  key: BookingKey,
): readonly Reservation[] {
  const { repeatsReference, namespace, numberTypes } = options;
  const { root, success, hasErrors, hasUnknownWarnings, failure } = reply;
  const nodes = reservationNodes(reply);
  if (nodes.length > 0 && hasErrors) throw new SupplierError('bad_payload', 'reservations together with Errors');
  if (nodes.length > 0) {
    const reservations = nodes.map((node) => {
      const reservation = {
        ...readReservation(node, undefined, numberTypes, key),
        extraNotices: reply.extraNotices,
      };
      if (nodes.length === 1) refuseCancelled(reservation, reply, options);
      // A summary may lack its status for any reason, and is read in detail.
      if (reservation.statusWord !== undefined || reservation.isSummary) return reservation;
      return { ...reservation, unstated: nodes.length > 1 ? statusInList(reply) : statusAlone(reservation, reply) };
    });
    return repeatsReference ? reservations : reservations.map((reservation) => ({ ...reservation, references: [] }));
  }
  if (failure?.reasons.size === 1 && failure.reasons.has('not_found')) {
    refuseStrangers(withoutHollow(root), NONE_FOUND);
    return [];
  }
  // The reason for a failed read says nothing about the booking.
  if (failure) throwFailure({ ...failure, refusal: undefined });
  if (!success || hasUnknownWarnings)
    throw new SupplierError('bad_payload', 'neither reservations nor a clear statement that there are none');
  judgeEmpty(root, NO_RESERVATIONS, namespace, warnings);
  return [];
}

/** Throws `bad_payload` if the word for the status of the only reservation says that it is active, and a Warning that it is cancelled. */
function refuseCancelled(reservation: Reservation, { saysCancelled }: BookingReply, options: OtaOptions): void {
  if (saysCancelled && reservation.statusWord !== undefined && isActive(reservation, options))
    throw new SupplierError('bad_payload', 'an active reservation with a Warning that it is cancelled');
}

/** What a reservation without a word for its status is if the answer has no other one: its Warnings are about it. */
function statusAlone({ ids }: Reservation, reply: BookingReply): NonNullable<Reservation['unstated']> {
  if (reply.saysCancelled) return 'cancelled';
  if (ids.length === 0 && reply.hasUnknownWarnings)
    throw new SupplierError('bad_payload', 'a reservation without a number and a status, with an unknown Warning');
  return unstatedStatus(reply, ids.length > 0);
}

/** What one of several is: the Warnings may be about others, but who is cancelled must be known. */
function statusInList({ aside, saysCancelled }: BookingReply): NonNullable<Reservation['unstated']> {
  if (saysCancelled) return 'unclear';
  return aside.has('on_request') ? 'on_request' : 'confirmed';
}

function reservationNodes({ root }: BookingReply): readonly XmlNode[] {
  const core = child(root, 'VehRetResRSCore');
  return [
    ...childrenNamed(core, 'VehReservation').filter((node) => !isHollow(node)),
    ...items(core, 'VehResSummaries', 'VehResSummary'),
  ];
}

/** Whether a reservation states nothing: no number (which OpenTravel requires), no status and no rental. Suppliers answer so if there is none to show. */
function isHollow(node: XmlNode): boolean {
  const { ids, statusWord } = readReservation(node);
  const isRental = child(child(node, 'VehSegmentCore'), 'VehRentalCore') ?? child(node, 'VehRentalCore');
  return node.name === 'VehReservation' && ids.length === 0 && statusWord === undefined && !isRental;
}

/** The message without hollow reservations. */
function withoutHollow(root: XmlNode): XmlNode {
  const children = root.children.map((node) =>
    node.name === 'VehRetResRSCore' ? { ...node, children: node.children.filter((one) => !isHollow(one)) } : node,
  );
  return { ...root, children };
}
