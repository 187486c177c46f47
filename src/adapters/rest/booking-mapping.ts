import type { ChosenExtra, SupplierBooking } from '../../model/bookings.js';
import { SupplierError } from '../../model/supplier.js';
import type { BookingMapping } from './mapping.schema.js';
import type { AnswerReader } from './wire.js';

/**
 * Maps a booking or a hold. Throws SupplierError bad_payload if it can't be read: its status is unknown, an active
 * booking has no number, or a hold has no ref to release it by.
 */
export function mapBooking(mapping: BookingMapping, reader: AnswerReader, node: unknown): SupplierBooking {
  const status = reader.word('bookingStatus', mapping.status, node);
  if (status === undefined) throw new SupplierError('bad_payload', 'a booking has no known status');
  const held = status === 'held';
  const confirmationNumber = held ? undefined : reader.text(mapping.confirmationNumber, node);
  const ref = held ? reader.ref(mapping.ref, node) : {};
  const isActive = status === 'confirmed' || status === 'on_request';
  if (!ref || (isActive && confirmationNumber === undefined)) {
    throw new SupplierError('bad_payload', `a booking with status ${status} has no number`);
  }
  return {
    status,
    confirmationNumber,
    reference: reader.text(mapping.reference, node),
    ref,
    total: reader.optionalMoney(mapping.total, node, reader.currency(mapping.currency, node)),
    pickupDate: reader.local(mapping.pickupDate, node, mapping.pickupZone),
    dropoffDate: reader.local(mapping.dropoffDate, node, mapping.dropoffZone),
    sippCode: reader.sippCode(mapping.sippCode, node),
    extras: mapping.extras && mapChosen(mapping.extras, reader, node),
  };
}

/** Undefined if any row is unreadable: a shorter list would mean that an extra isn't booked. */
function mapChosen(
  mapping: NonNullable<BookingMapping['extras']>,
  reader: AnswerReader,
  node: unknown,
): readonly ChosenExtra[] | undefined {
  const chosen: ChosenExtra[] = [];
  const rows = reader.rows(mapping.rows, node);
  for (const row of rows ?? []) {
    const code = reader.text(mapping.code, row);
    const quantity = reader.count(mapping.quantity, row);
    if (code === undefined || !quantity) return undefined;
    chosen.push({ code, quantity });
  }
  return rows && chosen;
}
