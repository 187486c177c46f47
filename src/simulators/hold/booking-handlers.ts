import { toLocal } from '../../places/zone-clock.js';
import type { SimulatedBooking } from '../bookings.js';
import type { SimulatedAnswer, SimulatedRequest } from '../world.js';
import { json, moneyJson, Problem } from './answers.js';
import { bookingJson } from './booking-writer.js';
import { cancellationTerms } from './cancellation-terms.js';
import type { HoldHandlers } from './handlers.js';
import { requote } from './quotes.js';

/** GET /v1/bookings?reference=: bookings and living holds with the reference, in the order they were made. */
export function answerBookings({ query }: SimulatedRequest, { ledger }: HoldHandlers): SimulatedAnswer {
  const reference = query.get('reference');
  if (!reference) throw new Problem('INVALID_REQUEST', 'reference: is missing');
  const listed = ledger.byReference(reference).filter(({ status }) => status !== 'released');
  return json(200, { bookings: listed.map(bookingJson) });
}

/** GET /v1/bookings/{number}. */
export function answerBooking(_request: SimulatedRequest, { ledger }: HoldHandlers, number: string): SimulatedAnswer {
  return json(200, { booking: bookingJson(bookingByNumber(number, ledger)) });
}

/** POST /v1/bookings/{number}/cancel. What was paid before comes back less the fee. */
export function answerCancel({ directive }: SimulatedRequest, desk: HoldHandlers, number: string): SimulatedAnswer {
  const booking = bookingByNumber(number, desk.ledger);
  if (booking.status === 'cancelled' || booking.status === 'rejected') {
    throw new Problem('ALREADY_CANCELLED', 'The booking was cancelled or declined before.');
  }
  const fee = booking.status === 'on_request' ? 0 : feeNow(booking, desk);
  desk.ledger.put({ ...booking, status: 'cancelled' });
  if (directive.verb === 'empty') return json(200, {});
  return json(200, {
    number,
    status: 'cancelled',
    cancellationNumber: `X${number.slice(1)}`,
    fee: moneyJson(fee, booking.currency),
    ...(booking.prepaid && { refund: moneyJson(booking.total - fee, booking.currency) }),
  });
}

function bookingByNumber(number: string, ledger: HoldHandlers['ledger']): SimulatedBooking {
  const booking = number.startsWith('D') ? ledger.byConfirmation(number) : undefined;
  if (!booking) throw new Problem('NOT_FOUND', 'There is no such booking.');
  return booking;
}

/** What cancelling costs at this moment. Whoever did not come before the pickup passed pays the whole total. */
function feeNow(booking: SimulatedBooking, desk: HoldHandlers): number {
  const station = desk.inventory.counterByCode(booking.pickupCode);
  const localNow = toLocal(desk.now(), station?.timeZone ?? 'UTC');
  if (booking.pickupDate < localNow) return booking.total;
  const quote = requote(booking.rateCode, booking.age, { extras: [], protections: [] }, desk, { verb: 'ok' });
  if (!quote) return booking.total;
  const { freeUntil, fee } = cancellationTerms({ ...quote, total: booking.total });
  return freeUntil !== undefined && localNow <= freeUntil ? 0 : fee;
}
