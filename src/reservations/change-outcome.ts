import type { RequestContext } from '../context/request-context.js';
import type { Payment, SupplierBooking } from '../model/bookings.js';
import type { Money } from '../model/money.js';
import { type SupplierAdapter, type SupplierContext, SupplierError } from '../model/supplier.js';
import type { Supplier } from '../suppliers/registry.js';
import type { CallOptions, SupplierCalls } from '../suppliers/supplier-call.js';
import { differingView, reasonBooked, undoneBy } from './booked-differences.js';
import { bookedPatch, renumberedPatch } from './booking-outcome.js';
import { bookRequest, type Change, type Move, type Rental, type Reservation } from './reservation.js';
import type { Outcome } from './supplier-outcome.js';

type PriceDrift = NonNullable<Reservation['priceDrift']>;

/** Sends the supplier the complete changed booking. Idempotent: sending the same change twice has the same result. */
export function requestChange(
  calls: SupplierCalls,
  supplier: Supplier,
  { id, confirmationNumber, rental: { pickupDate, dropoffDate, extras, ref } }: Reservation,
  { rental, personal, kinds }: Change,
  context: RequestContext,
  options?: CallOptions,
): Promise<SupplierBooking> {
  const ask = async (adapter: SupplierAdapter, call: SupplierContext): Promise<SupplierBooking> => {
    if (!adapter.modify || confirmationNumber === undefined)
      throw new SupplierError('rejected', 'no change', false, { refusal: 'unsupported_by_supplier' });
    // Cards are not stored, so the payment made at booking stays unchanged.
    const payment: Payment =
      personal.voucher === undefined ? { type: 'counter' } : { type: 'voucher', voucher: personal.voucher };
    const before = { pickupDate, dropoffDate, extras, ref };
    // What is changed is confirmed, even if it was booked on request: it must not become a request again.
    const confirmed: Rental = { ...rental, status: 'available' };
    const booking = await adapter.modify(
      { ...bookRequest(id, confirmed, personal, payment, supplier), confirmationNumber, changes: kinds, before },
      call,
    );
    if (booking.status === 'rejected')
      throw new SupplierError('rejected', 'the change was not accepted', true, { refusal: 'not_changeable' });
    // A held or cancelled booking is not the requested change.
    if (booking.status !== 'confirmed' && booking.status !== 'on_request')
      throw new SupplierError('bad_payload', `a changed booking that is ${booking.status}`);
    return booking;
  };
  return calls.call(supplier, 'modify', context, ask, { ...options, reference: id, renter: personal });
}

/**
 * The move for the outcome of a change in progress. A refused change leaves the reservation confirmed as before. One that the
 * supplier must accept manually is not requested again, which would ask for acceptance again, but looked up.
 */
export function changeMove(
  outcome: Outcome<SupplierBooking>,
  reservation: Reservation,
  change: Change,
  at: number,
  firstCheckMs: number,
): Omit<Move, 'actor'> {
  if (outcome.kind === 'unknown') {
    return {
      to: 'unknown',
      reason: 'the supplier gave no clear answer to the change',
      at,
      patch: { nextCheckAt: at + firstCheckMs, sentUntil: at },
    };
  }
  if (outcome.kind === 'not_done') {
    const reason = `change refused: ${outcome.error.refusal ?? outcome.error.fault}`;
    return { to: 'confirmed', reason, at, patch: { change: undefined, nextCheckAt: undefined } };
  }
  if (outcome.result.status === 'on_request') {
    // The request may have replaced the booking, which is then called by its number.
    const renumbered = renumberedPatch(reservation, outcome.result);
    const awaited = { ...change, isAwaited: true };
    const patch = { ...renumbered, change: awaited, nextCheckAt: at + firstCheckMs, sentUntil: at };
    return { to: 'unknown', reason: 'the supplier must accept the change manually', at, patch };
  }
  const { personal, kinds } = change;
  // What is known of the booking stays known, unless another rental replaced it.
  const known = kinds.includes('rental') ? undefined : reservation;
  // Nothing was stated about other extras.
  const isOtherChoice = kinds.includes('extras');
  const { other_extras: otherExtras, ...differences } = known?.view.booked_differently ?? {};
  const carriedOver = { ...differences, ...(otherExtras && !isOtherChoice && { other_extras: otherExtras }) };
  const isSame = Object.keys(carriedOver).length === 0;
  const view = differingView(
    withCard(change.view, known, outcome.result),
    isSame ? undefined : carriedOver,
    known && undoneBy(kinds, known.view),
  );
  // The guarantee is of the rate before this change.
  const { stated: _before, rateGuarantee: _used, ...rental } = change.rental;
  const stated = known?.rental.stated?.filter((name) => name !== 'missing_extras' || !isOtherChoice);
  const before = {
    rental: { ...rental, ...(stated?.length ? { stated } : {}) },
    view,
    payment: reservation.payment,
    ...(known?.priceDrift && { priceDrift: carried(known.priceDrift, rental.total) }),
  };
  const { view: booked = view, ...booking } = bookedPatch(before, outcome.result, reservation.rental.extras);
  const reason = reasonBooked(`changed: ${kinds.join(', ')}`, booked);
  return {
    to: 'confirmed',
    reason,
    at,
    patch: { ...booking, view: booked, personal, change: undefined, nextCheckAt: undefined },
  };
}

/** The card that the supplier needs to finish a booking stays missing, unless its answer says that it needs none. */
function withCard(view: Change['view'], known: Reservation | undefined, { creditCardRequired }: SupplierBooking) {
  const isMissing = known?.payment.type !== 'card' && known?.view.requirements.credit_card_required === true;
  if (!isMissing || creditCardRequired === false) return view;
  return { ...view, requirements: { ...view.requirements, credit_card_required: true } };
}

/**
 * A difference of price that is known, at the total that was accepted for other extras: an answer without a total says nothing about
 * it. Not between currencies, whose rate isn't known.
 */
function carried(known: PriceDrift, total: Money): PriceDrift {
  const { accepted, actual } = known;
  if (actual.currency !== accepted.currency || total.currency !== accepted.currency) return known;
  const amountMinor = total.amountMinor + actual.amountMinor - accepted.amountMinor;
  return { accepted: total, actual: { ...actual, amountMinor } };
}
