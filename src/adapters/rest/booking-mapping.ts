import { type BookedExtra, type BookingKey, isSameCode, type SupplierBooking } from '../../model/bookings.js';
import { SupplierError } from '../../model/supplier.js';
import type { BookingMapping } from './mapping.schema.js';
import type { AnswerReader } from './wire.js';

/**
 * Maps a booking or a hold. Throws SupplierError bad_payload if it can't be read: its status is unknown, an active
 * booking has no number (a request needs one or our reference), or a hold has no ref to release it by. Our own reference is as we wrote it: suppliers may change its case.
 */
export function mapBooking(
  mapping: BookingMapping,
  reader: AnswerReader,
  node: unknown,
  ownReference: string,
): SupplierBooking {
  const status = reader.word('bookingStatus', mapping.status, node);
  if (status === undefined) throw new SupplierError('bad_payload', 'a booking has no known status');
  const held = status === 'held';
  const confirmationNumber = held ? undefined : reader.text(mapping.confirmationNumber, node);
  const ref = held ? reader.ref(mapping.ref, node) : {};
  const reference = reader.text(mapping.reference, node);
  // Some suppliers number a request only when they accept it.
  const needsNumber = status === 'confirmed' || (status === 'on_request' && !isSameCode(reference, ownReference));
  if (!ref || (needsNumber && confirmationNumber === undefined)) {
    throw new SupplierError('bad_payload', `a booking with status ${status} has no number`);
  }
  return {
    status,
    confirmationNumber,
    reference: isSameCode(reference, ownReference) ? ownReference : reference,
    ref,
    total: reader.optionalPayable(mapping.total, node, reader.currency(mapping.currency, node)),
    pickupDate: reader.local(mapping.pickupDate, node, mapping.pickupZone),
    dropoffDate: reader.local(mapping.dropoffDate, node, mapping.dropoffZone),
    sippCode: reader.sippCode(mapping.sippCode, node),
    ...(mapping.extras && mapChosen(mapping.extras, reader, node)),
  };
}

/**
 * The booking that was called by a number. A supplier that makes a new booking for a change or an acceptance gives it another number: only our
 * reference shows then that it is the same one. A declined or cancelled one may no longer have a number. Throws SupplierError bad_payload for any other booking.
 */
export function calledBooking(
  booking: SupplierBooking,
  { confirmationNumber, reference }: Pick<BookingKey, 'confirmationNumber' | 'reference'>,
): SupplierBooking {
  const { status, confirmationNumber: number } = booking;
  if (isSameCode(number, confirmationNumber)) return booking;
  const isOwn = booking.reference === reference && status !== 'held';
  if (isOwn && number === undefined) return { ...booking, confirmationNumber };
  if (isOwn && (status === 'confirmed' || status === 'on_request')) return booking;
  throw new SupplierError('bad_payload', 'the supplier returned a different booking');
}

/**
 * Whether any object of an answer is an active booking or a hold with the number or reference of a key. One that only
 * repeats them, as an error or the description of a list does, isn't.
 */
export function hasBooking(mapping: BookingMapping, reader: AnswerReader, key: BookingKey): boolean {
  // Without recursion: nothing limits the depth of a short answer.
  for (const left: unknown[] = [reader.answer]; left.length > 0; ) {
    const node = left.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (!Array.isArray(node) && isBookingOf(mapping, reader, node, key)) return true;
    for (const member of Object.values(node)) left.push(member);
  }
  return false;
}

function isBookingOf(mapping: BookingMapping, reader: AnswerReader, node: object, key: BookingKey): boolean {
  const number = reader.text(mapping.confirmationNumber, node);
  const isOurs = isSameCode(reader.text(mapping.reference, node), key.reference);
  const isMeant = isOurs || isSameCode(number, key.confirmationNumber);
  const status = isMeant ? reader.word('bookingStatus', mapping.status, node) : undefined;
  if (status === 'held') return true;
  return number === undefined ? isOurs && status === 'on_request' : status === 'confirmed' || status === 'on_request';
}

/**
 * No list if any row is unreadable: a shorter one would mean that an extra isn't booked. A status that isn't known doesn't confirm
 * an extra.
 */
function mapChosen(
  mapping: NonNullable<BookingMapping['extras']>,
  reader: AnswerReader,
  node: unknown,
): Pick<SupplierBooking, 'extras' | 'extraNotices'> {
  const extras: BookedExtra[] = [];
  const codes: string[] = [];
  const stated = reader.listIn(mapping.rows, mapping.code, node);
  if (!Array.isArray(stated)) return {};
  for (const row of reader.listed(stated, mapping.rows)) {
    const code = reader.text(mapping.code, row);
    const quantity = reader.count(mapping.quantity, row);
    // It is offered, not taken.
    if (quantity === 0) continue;
    if (code === undefined || (mapping.quantity !== undefined && quantity === undefined)) return {};
    const isStated = (reader.node(mapping.status, row) ?? undefined) !== undefined;
    const status = isStated ? reader.word('extraStatus', mapping.status, row) : 'confirmed';
    if (status === 'not_booked') continue;
    if (status !== 'confirmed') codes.push(code);
    extras.push({ code, ...(quantity !== undefined && { quantity }) });
  }
  return { extras, ...(codes.length > 0 && { extraNotices: [{ status: 'on_request', codes }] }) };
}
