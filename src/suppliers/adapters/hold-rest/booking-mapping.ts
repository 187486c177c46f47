import type { SupplierBooking } from '../../booking-models.js';
import { isCurrency, type Money, parseMoney } from '../../money.js';
import type { BookingWire, MoneyWire } from './wire.js';

const STATUSES = {
  held: 'held',
  confirmed: 'confirmed',
  requested: 'on_request',
  declined: 'rejected',
  cancelled: 'cancelled',
} as const satisfies Readonly<Record<BookingWire['status'], SupplierBooking['status']>>;

/** A booking or a hold as the supplier tells it; a hold has no confirmation number, its id stands in `ref`. */
export function mapBooking(wire: BookingWire): SupplierBooking {
  const { holdId } = wire;
  return {
    status: STATUSES[wire.status],
    confirmationNumber: wire.status === 'held' ? undefined : wire.number,
    reference: wire.reference,
    ref: wire.status === 'held' && holdId !== undefined ? { holdId } : {},
    total: mapMoney(wire.total),
    pickupDate: wire.pickup?.at,
    dropoffDate: wire.dropoff?.at,
    sippCode: wire.sipp,
    extras: wire.extras,
  };
}

/** An amount that names its currency; undefined when absent, no decimal or in no known currency. */
export function mapMoney(wire: MoneyWire | undefined): Money | undefined {
  return wire && isCurrency(wire.currency) ? parseMoney(wire.amount, wire.currency) : undefined;
}
