import type { BookingKey, BookRequest, CancelResult, SupplierBooking } from '../../booking-models.js';
import type { Money } from '../../money.js';
import { type SupplierAnswer, SupplierError } from '../../supplier.js';
import { mapBooking, mapMoney } from './booking-mapping.js';
import { expectDone, readReply, readReplyUnless } from './reply.js';
import { type HoldApi, holdBody } from './requests.js';
import { type BookingWire, bookingsWire, cancelledWire, holdWire, oneBookingWire } from './wire.js';

const READ = { repeatable: true } as const;
const WRITE = { repeatable: false } as const;

/**
 * Books in two steps: a hold, then its confirmation. Only the confirmation books. Where the supplier said a clear no after the hold, the
 * hold is given back; where the answer to the confirmation is lost or doubtful, it is left alone, for it may be a booking by now.
 */
export async function book(request: BookRequest, api: HoldApi): Promise<SupplierBooking> {
  const hold = readReply(await api('POST', '/holds', { ...WRITE, body: holdBody(request) }), holdWire);
  const total = mapMoney(hold.total);
  if (!total) throw new SupplierError('bad_payload', 'the hold has no readable total');
  if (!covers(request.total, total)) {
    await giveBack(hold.holdId, api);
    throw new SupplierError('rejected', 'the hold costs more than was accepted', true, { refusal: 'price_changed' });
  }
  try {
    return await confirm(hold.holdId, api);
  } catch (error) {
    if (isClearNo(error)) await giveBack(hold.holdId, api);
    throw error;
  }
}

/** By number, or all bookings and living holds with our reference. Empty = the supplier says that it has none. */
export async function retrieve({ confirmationNumber, reference }: BookingKey, api: HoldApi): Promise<SupplierAnswer<SupplierBooking>> {
  const found = confirmationNumber === undefined ? await listed(reference, api) : await numbered(confirmationNumber, api);
  return { items: found.map(mapBooking), warnings: [] };
}

/**
 * Cancels by number. Without one it releases the holds with our reference and touches no booking: what was never confirmed is abandoned,
 * while a booking that turns up is a finding to be told, not to be undone.
 */
export async function cancel({ confirmationNumber, reference }: BookingKey, api: HoldApi): Promise<CancelResult> {
  return confirmationNumber === undefined ? releaseHolds(reference, api) : cancelBooking(confirmationNumber, api);
}

async function confirm(holdId: string, api: HoldApi): Promise<SupplierBooking> {
  const { booking } = readReply(await api('POST', `/holds/${encodeURIComponent(holdId)}/confirm`, WRITE), oneBookingWire);
  if (booking.status === 'declined') throw new SupplierError('rejected', 'the confirmation was declined');
  if (booking.status !== 'confirmed' && booking.status !== 'requested') {
    throw new SupplierError('bad_payload', `the confirmation answered with a booking that is ${booking.status}`);
  }
  return mapBooking(booking);
}

async function numbered(number: string, api: HoldApi): Promise<readonly BookingWire[]> {
  const found = readReplyUnless(await api('GET', `/bookings/${encodeURIComponent(number)}`, READ), ['NOT_FOUND'], oneBookingWire);
  if (!found) return [];
  if (found.booking.number !== number) throw new SupplierError('bad_payload', 'the booking has another number than asked for');
  return [found.booking];
}

async function listed(reference: string, api: HoldApi): Promise<readonly BookingWire[]> {
  const { bookings } = readReply(await api('GET', `/bookings?reference=${encodeURIComponent(reference)}`, READ), bookingsWire);
  // Holds of this list are released and bookings taken for ours: a foreign one in it makes all of it doubtful.
  if (bookings.some((booking) => booking.reference !== reference)) {
    throw new SupplierError('bad_payload', 'the list has a booking with another reference than asked for');
  }
  return bookings;
}

async function cancelBooking(number: string, api: HoldApi): Promise<CancelResult> {
  const answer = await api('POST', `/bookings/${encodeURIComponent(number)}/cancel`, WRITE);
  const done = readReplyUnless(answer, ['ALREADY_CANCELLED'], cancelledWire);
  if (!done) return {};
  return { fee: mapMoney(done.fee), refund: mapMoney(done.refund), cancellationNumber: done.cancellationNumber };
}

async function releaseHolds(reference: string, api: HoldApi): Promise<CancelResult> {
  const found = await listed(reference, api);
  if (found.length === 0) throw new SupplierError('rejected', 'no hold with the reference', true, { refusal: 'not_found' });
  if (found.some(({ status }) => status === 'confirmed' || status === 'requested')) {
    throw new SupplierError('rejected', 'the reference has a booking, which is cancelled by its number', true, {
      refusal: 'not_changeable',
    });
  }
  for (const { status, holdId } of found) {
    // A hold that fell away meanwhile is what was wanted.
    if (status === 'held' && holdId !== undefined) expectDone(await release(holdId, api), ['NOT_FOUND', 'HOLD_EXPIRED']);
  }
  return {};
}

function release(holdId: string, api: HoldApi): ReturnType<HoldApi> {
  return api('DELETE', `/holds/${encodeURIComponent(holdId)}`, WRITE);
}

async function giveBack(holdId: string, api: HoldApi): Promise<void> {
  try {
    await release(holdId, api);
  } catch (error) {
    // A hold that could not be given back books nothing and falls away by itself; the refusal is what the caller must hear.
    if (!(error instanceof SupplierError)) throw error;
  }
}

/** Whether certainly nothing was booked: the supplier refused, or the confirmation never left. */
function isClearNo(error: unknown): boolean {
  if (!(error instanceof SupplierError)) return false;
  return !error.sent || error.fault === 'rejected' || error.fault === 'throttled' || error.fault === 'auth';
}

function covers(accepted: Money, asked: Money): boolean {
  return accepted.currency === asked.currency && asked.amountMinor <= accepted.amountMinor;
}
