import type { SimulatedBooking } from '../bookings.js';
import { moneyJson } from './answers.js';

/** Status words on the wire. */
const STATUSES = {
  held: 'held',
  released: 'released',
  confirmed: 'confirmed',
  on_request: 'requested',
  rejected: 'declined',
  cancelled: 'cancelled',
} as const satisfies Readonly<Record<SimulatedBooking['status'], string>>;

/** A booking (`number`) or a hold (`holdId`), without the driver, who is known to the caller. */
export function bookingJson(booking: SimulatedBooking): object {
  const { confirmation, status } = booking;
  return {
    ...(status === 'held' || status === 'released' ? { holdId: confirmation } : { number: confirmation }),
    reference: booking.reference,
    status: STATUSES[status],
    total: moneyJson(booking.total, booking.currency),
    pickup: { station: booking.pickupCode, at: booking.pickupDate },
    dropoff: { station: booking.dropoffCode, at: booking.dropoffDate },
    sipp: booking.sippCode,
    extras: booking.extras,
    protections: booking.coverages,
  };
}
