import type { ChosenExtra, SupplierBooking } from '../../model/bookings.js';
import { SupplierError } from '../../model/supplier.js';
import type { BookingMapping } from './mapping.schema.js';
import type { AnswerReader } from './wire.js';

/**
 * A booking or a hold as the supplier tells it. Throws SupplierError bad_payload for one that cannot be read: without a status we know, one that
 * stands without a number of its own, a hold without what releases it.
 */
export function mapBooking(mapping: BookingMapping, reader: AnswerReader, node: unknown): SupplierBooking {
  const status = reader.word('bookingStatus', mapping.status, node);
  if (status === undefined) throw new SupplierError('bad_payload', 'a booking has no status that is known');
  const held = status === 'held';
  const confirmationNumber = held ? undefined : reader.text(mapping.confirmationNumber, node);
  const ref = held ? reader.ref(mapping.ref, node) : {};
  const stands = status === 'confirmed' || status === 'on_request';
  if (!ref || (stands && confirmationNumber === undefined)) {
    throw new SupplierError('bad_payload', `a booking that is ${status} has no number`);
  }
  return {
    status,
    confirmationNumber,
    reference: reader.text(mapping.reference, node),
    ref,
    total: reader.money(mapping.total, node, reader.currency(mapping.currency, node)),
    pickupDate: reader.local(mapping.pickupDate, node, mapping.pickupZone),
    dropoffDate: reader.local(mapping.dropoffDate, node, mapping.dropoffZone),
    sippCode: reader.sippCode(mapping.sippCode, node),
    extras: mapping.extras && mapChosen(mapping.extras, reader, node),
  };
}

/** Undefined, not said, when any row cannot be read: a shorter list would say that an extra is not booked. */
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
