import { toLocal } from '../../places/zone-clock.js';
import type { SimulatedBooking } from '../bookings.js';
import type { SimulatedAnswer, SimulatedRequest } from '../world.js';
import { json, moneyJson, Problem } from './answers.js';
import { bookingJson } from './booking-writer.js';
import { cancellationTerms } from './cancellation-terms.js';
import type { HoldContext } from './context.js';
import { requote } from './quotes.js';

/** GET /v1/bookings?reference=: bookings and active holds with the reference, in order of creation. */
export function answerBookings({ query }: SimulatedRequest, { ledger }: HoldContext): SimulatedAnswer {
  const reference = query.get('reference');
  if (!reference) throw new Problem('INVALID_REQUEST', 'reference: is missing');
  const listed = ledger.byReference(reference).filter(({ status }) => status !== 'released');
  return json(200, { bookings: listed.map(bookingJson) });
}

/** GET /v1/bookings/{number}. */
export function answerBooking(_request: SimulatedRequest, { ledger }: HoldContext, number: string): SimulatedAnswer {
  return json(200, { booking: bookingJson(bookingByNumber(number, ledger)) });
}

/** POST /v1/bookings/{number}/cancel. A prepaid amount is refunded minus the fee. */
export function answerCancel({ directive }: SimulatedRequest, context: HoldContext, number: string): SimulatedAnswer {
  const booking = bookingByNumber(number, context.ledger);
  if (booking.status === 'cancelled' || booking.status === 'rejected') {
    throw new Problem('ALREADY_CANCELLED', 'The booking has already been cancelled or declined.');
  }
  const fee = booking.status === 'on_request' ? 0 : feeNow(booking, context);
  context.ledger.put({ ...booking, status: 'cancelled' });
  if (directive.verb === 'empty') return json(200, {});
  return json(200, {
    number,
    status: 'cancelled',
    cancellationNumber: `X${number.slice(1)}`,
    fee: moneyJson(fee, booking.currency),
    ...(booking.prepaid && { refund: moneyJson(booking.total - fee, booking.currency) }),
  });
}

function bookingByNumber(number: string, ledger: HoldContext['ledger']): SimulatedBooking {
  const booking = number.startsWith('D') ? ledger.byConfirmation(number) : undefined;
  if (!booking) throw new Problem('NOT_FOUND', 'Unknown booking.');
  return booking;
}

/** The cancellation fee at this moment: the full total once the pickup time has passed. */
function feeNow(booking: SimulatedBooking, context: HoldContext): number {
  const station = context.inventory.locationByCode(booking.pickupCode);
  const localNow = toLocal(context.ledger.now(), station?.timeZone ?? 'UTC');
  if (booking.pickupDate < localNow) return booking.total;
  const quote = requote(booking.rateCode, booking.age, { extras: [], protections: [] }, context, { verb: 'ok' });
  if (!quote) return booking.total;
  const { freeUntil, fee } = cancellationTerms({ ...quote, total: booking.total });
  return freeUntil !== undefined && localNow <= freeUntil ? 0 : fee;
}
