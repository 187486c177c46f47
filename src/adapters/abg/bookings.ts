import {
  type BookingKey,
  type BookRequest,
  type CancelResult,
  type ChangeKind,
  isSameCode,
  type ModifyRequest,
  type RentalRequest,
  type SupplierBooking,
} from '../../model/bookings.js';
import { showsChange, unlessShown } from '../../model/contradicted-refusal.js';
import type { OfferStatus, SupplierOffer } from '../../model/offers.js';
import {
  type BookingTraits,
  type SupplierAnswer,
  type SupplierContext,
  SupplierError,
  type SupplierHttpCall,
} from '../../model/supplier.js';
import { Warnings } from '../../model/warnings.js';
import { mapBooking, rateGuaranteeOf, type StatedBooking, statedBooking } from './booking-mapping.js';
import { statusUnlessStated } from './booking-ref.js';
import {
  type AbgReply,
  readReply,
  readWriteReply,
  requireStated,
  reservationOf,
  statesSuccess,
} from './booking-reply.js';
import {
  cancelCall,
  createCall,
  numberOf,
  partialUpdateCall,
  ratesCall,
  updateCall,
  viewCall,
} from './booking-requests.js';
import { type AbgReason, abgErrorCode } from './errors.js';
import type { AbgOptions } from './options.js';
import { mapQuote } from './price-check.js';
import { parseObject } from './reply.js';
import { group, readFailures, text, type Wire } from './wire.js';

/** ABG can find a booking only by its number; if the answer to a booking is lost, the booking can't be found. */
export const ABG_BOOKING: BookingTraits = {
  findsByReference: false,
  takesCards: true,
  takesVouchers: true,
  takesExtras: true,
  takesCoverages: true,
  // ABG sells an additional driver as extra ADD, and takes the name at the counter.
  takesAdditionalDrivers: false,
  takesLatePickup: false,
  changes: ['contact', 'arrival', 'remark', 'extras', 'coverages', 'rental'],
  guaranteesRate: true,
  restates: (change) => !fitsPartialModify(change),
};

/** Reasons of the codes for a booking that there isn't, or isn't any more. */
const GONE: ReadonlySet<AbgReason | undefined> = new Set<AbgReason>(['unknown_booking', 'already_cancelled']);

/** What partial-modify can change. */
const PARTIAL_CHANGES: readonly ChangeKind[] = ['contact', 'arrival'];

/** POST rates. A sold-out vehicle, or a one-way rental that is no longer offered, gives no item. */
export async function priceCheck(
  request: RentalRequest,
  context: SupplierContext,
  options: AbgOptions,
): Promise<SupplierAnswer<SupplierOffer>> {
  const reply = readReply(await context.http.send(ratesCall(request, context.requestId, options), true));
  if (reply.failed) {
    if (reply.reason === 'no_results') return { items: [], warnings: [] };
    throw reply.failed;
  }
  const warnings = new Warnings();
  return { items: [mapQuote(reservationOf(reply.body), request, warnings)], warnings: warnings.list };
}

/** POST reservation, sent once. A 401 is a clear refusal: ABG's gateway checks the token first. */
export async function book(
  request: BookRequest,
  context: SupplierContext,
  options: AbgOptions,
): Promise<SupplierBooking> {
  const read = (reply: AbgReply): SupplierBooking => {
    if (reply.failed) throw reply.failed;
    return mapBooking(reservationOf(reply.body), request.status);
  };
  return write(createCall(request, options), context, read, ({ status }) => status !== 'rejected');
}

/**
 * Sends a call that books, changes or cancels, once, and reads its answer. A clear refusal is in doubt if the answer also
 * states success, or has a reservation that `shows` it.
 */
async function write<T>(
  call: SupplierHttpCall,
  context: SupplierContext,
  read: (reply: AbgReply) => T,
  shows: (stated: StatedBooking) => boolean,
): Promise<T> {
  const answer = await context.http.send(call);
  return unlessShown(
    () => read(readWriteReply(answer)),
    () => {
      const body = parseObject(answer) ?? {};
      if (statesSuccess(body)) return true;
      const reservation = reservationOf(body);
      const { number } = group(reservation.confirmation);
      // Without its exact digits, there is a booking all the same.
      return (
        (typeof number === 'number' && text(number) === undefined) || shows(statedBooking(reservation, 'available'))
      );
    },
  );
}

/**
 * GET reservation. A reservation has no state: an answer is an active booking (a request, if it was sent as one and ABG has not yet
 * confirmed it), code 14036 a cancelled one, 150004 an unknown one. One of these codes together with a reservation says neither: bad_payload. Before a change, it has the proof
 * that keeps the booked rate, if ABG gives one.
 */
export async function retrieve(
  key: BookingKey,
  context: SupplierContext,
  options: AbgOptions,
): Promise<SupplierAnswer<SupplierBooking>> {
  const confirmationNumber = numberOf(key);
  const answer = await context.http.send(viewCall(key, context.requestId, options), true);
  refuseContradiction(parseObject(answer) ?? {});
  const reply = readReply(answer);
  if (reply.failed) {
    if (reply.reason === 'unknown_booking') return { items: [], warnings: [] };
    if (reply.reason === 'already_cancelled')
      return { items: [{ status: 'cancelled', confirmationNumber, ref: {} }], warnings: [] };
    throw reply.failed;
  }
  const booking = ownBooking(reply.body, confirmationNumber, statusUnlessStated(key.ref));
  const rateGuarantee = key.isForChange ? rateGuaranteeOf(reservationOf(reply.body)) : undefined;
  return {
    items: [{ ...booking, ...(rateGuarantee !== undefined && { rateGuarantee }) }],
    warnings: booking.warnings ?? [],
  };
}

/**
 * PATCH, or a partial update if only contact and flight change: its answer has no reservation, so the number is kept.
 */
export async function modify(
  request: ModifyRequest,
  context: SupplierContext,
  options: AbgOptions,
): Promise<SupplierBooking> {
  const isPartial = fitsPartialModify(request);
  const call = isPartial ? partialUpdateCall(request, options) : updateCall(request, options);
  const { confirmationNumber } = request;
  const read = (reply: AbgReply): SupplierBooking => {
    if (reply.failed) throw reply.failed;
    requireStated(reply.body);
    return isPartial
      ? { status: 'confirmed', confirmationNumber, ref: {} }
      : ownBooking(reply.body, confirmationNumber, request.status);
  };
  return write(call, context, read, (stated) => showsChange(stated, request));
}

/** Throws bad_payload if a body says that a booking is unknown or cancelled, and has a reservation, readable or not. */
function refuseContradiction(body: Wire): void {
  const isGone = readFailures(body).some(({ code }) => GONE.has(abgErrorCode(code)?.reason));
  if (isGone && Object.values(group(body.reservation)).some(hasContent))
    throw new SupplierError('bad_payload', 'abg returned a reservation together with the code of one that is gone');
}

function hasContent(member: unknown): boolean {
  return typeof member === 'object' && member !== null ? Object.keys(member).length > 0 : text(member) !== undefined;
}

/** The reservation of a success. Throws bad_payload if it has another number. */
function ownBooking(body: Wire, confirmationNumber: string, offered: OfferStatus): SupplierBooking {
  const booking = mapBooking(reservationOf(body), offered);
  if (isSameCode(booking.confirmationNumber, confirmationNumber)) return booking;
  throw new SupplierError('bad_payload', 'abg returned a different reservation');
}

/**
 * A partial update can set a flight but not remove it. Removing it, like any other change, restates the complete
 * booking.
 */
function fitsPartialModify({ changes, arrival }: Pick<ModifyRequest, 'changes' | 'arrival'>): boolean {
  return (
    changes.every((change) => PARTIAL_CHANGES.includes(change)) &&
    (arrival !== undefined || !changes.includes('arrival'))
  );
}

/** PUT. ABG returns no fee and no refund. */
export async function cancel(key: BookingKey, context: SupplierContext, options: AbgOptions): Promise<CancelResult> {
  const read = (reply: AbgReply): CancelResult => {
    if (reply.failed && reply.reason !== 'already_cancelled') throw reply.failed;
    if (!reply.failed) requireStated(reply.body);
    return {};
  };
  // A reservation has no state, so one that is returned doesn't show that it was cancelled.
  return write(cancelCall(key, options), context, read, () => false);
}
