import { type BookingKey, isSameNumber, type SupplierBooking } from '../../model/bookings.js';
import { type SupplierAnswer, SupplierError } from '../../model/supplier.js';
import { allWarnings } from '../../model/warnings.js';
import { bookingOf, type Reservation, readReservation, statusOfReservation } from './booking-mapping.js';
import { type BookingReply, throwFailure } from './booking-reply.js';
import type { OtaOptions } from './options.js';
import { child, childrenNamed, items } from './wire.js';

/** The two ways to retrieve with OTA_VehRetResRQ. */
export interface RetrievalCalls {
  byNumber(confirmationNumber: string): Promise<BookingReply>;
  byRenter(): Promise<BookingReply>;
}

/** Maximum reservations of one renter at one time and place that are read in detail. */
const DETAILS_LIMIT = 10;

/**
 * Finds a booking: by its number if known, otherwise among the renter's by our reference. Empty only if the supplier
 * clearly has none. If several active ones have our reference, all are returned (a duplicate booking). Throws
 * SupplierError `bad_payload` if it is unclear whether one is ours, and `rejected` if there is no number and the
 * supplier doesn't return our reference.
 */
export async function retrieveBookings(
  key: BookingKey,
  calls: RetrievalCalls,
  options: OtaOptions,
): Promise<SupplierAnswer<SupplierBooking>> {
  const { confirmationNumber } = key;
  if (confirmationNumber !== undefined) {
    const reservation = await reservationOfNumber(confirmationNumber, calls, options);
    return found(reservation ? [reservation] : [], key, options);
  }
  if (!options.repeatsReference)
    throw new SupplierError('rejected', 'the supplier can find bookings only by number', false);
  return found(await ownReservations(key, calls, options), key, options);
}

function found(
  reservations: readonly Reservation[],
  key: BookingKey,
  options: OtaOptions,
): SupplierAnswer<SupplierBooking> {
  const bookings = reservations.map((reservation) => bookingOf(reservation, key.reference, options));
  return { items: bookings, warnings: allWarnings(bookings) };
}

async function reservationOfNumber(
  confirmationNumber: string,
  calls: RetrievalCalls,
  options: OtaOptions,
): Promise<Reservation | undefined> {
  const reservations = reservationsOf(await calls.byNumber(confirmationNumber), options);
  if (reservations.length === 0) return undefined;
  const [first] = reservations;
  if (reservations.length === 1 && first?.ids.length === 0) return { ...first, confirmationNumber };
  const named = reservations.find(({ ids }) => ids.some((id) => isSameNumber(id, confirmationNumber)));
  if (!named) throw new SupplierError('bad_payload', 'the supplier returned a different reservation');
  return { ...named, confirmationNumber };
}

/**
 * The renter's reservations with our reference. One without any reference may be another customer's with the same name,
 * time and place, so it is never taken for ours; nor can it be ruled out while it is active.
 */
async function ownReservations(
  key: BookingKey,
  calls: RetrievalCalls,
  options: OtaOptions,
): Promise<readonly Reservation[]> {
  const listed = reservationsOf(await calls.byRenter(), options);
  const candidates = await inDetail(
    listed.filter(({ references }) => references.length === 0 || references.includes(key.reference)),
    calls,
    options,
  );
  const own = candidates.filter(({ references }) => references.includes(key.reference));
  if (own.length === 0 && candidates.some((reservation) => isActive(reservation, options)))
    throw new SupplierError('bad_payload', 'ambiguous: an active reservation of the renter has no reference');
  const active = own.filter((reservation) => isActive(reservation, options));
  return active.length > 0 ? active : own.slice(0, 1);
}

/** Summaries lack the deciding members (status, reference), so each is retrieved by its number. */
async function inDetail(
  reservations: readonly Reservation[],
  calls: RetrievalCalls,
  options: OtaOptions,
): Promise<readonly Reservation[]> {
  if (reservations.length > DETAILS_LIMIT)
    throw new SupplierError('bad_payload', `more than ${DETAILS_LIMIT} reservations of one renter`);
  const detailed: Reservation[] = [];
  for (const reservation of reservations) {
    if (!reservation.isSummary) {
      detailed.push(reservation);
      continue;
    }
    const { confirmationNumber } = reservation;
    const details =
      confirmationNumber === undefined ? undefined : await reservationOfNumber(confirmationNumber, calls, options);
    if (!details) throw new SupplierError('bad_payload', 'a listed reservation could not be read');
    detailed.push(details.references.length > 0 ? details : { ...details, references: reservation.references });
  }
  return detailed;
}

function isActive(reservation: Reservation, options: OtaOptions): boolean {
  const status = statusOfReservation(reservation, options);
  return status !== 'cancelled' && status !== 'rejected';
}

/** The reservations in the reply, in order; empty if it clearly has none. */
function reservationsOf(
  { root, success, hasErrors, hasUnknownWarnings, failure }: BookingReply,
  { repeatsReference }: OtaOptions,
): readonly Reservation[] {
  const core = child(root, 'VehRetResRSCore');
  const nodes = [...childrenNamed(core, 'VehReservation'), ...items(core, 'VehResSummaries', 'VehResSummary')];
  if (nodes.length > 0 && hasErrors) throw new SupplierError('bad_payload', 'reservations together with Errors');
  if (nodes.length > 0) {
    const reservations = nodes.map((node) => readReservation(node));
    return repeatsReference ? reservations : reservations.map((reservation) => ({ ...reservation, references: [] }));
  }
  if (failure?.reasons.size === 1 && failure.reasons.has('not_found')) return [];
  // The reason for a failed read says nothing about the booking.
  if (failure) throwFailure({ ...failure, refusal: undefined });
  if (!success || hasUnknownWarnings)
    throw new SupplierError('bad_payload', 'neither reservations nor a clear statement that there are none');
  return [];
}
