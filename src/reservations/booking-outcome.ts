import { isSameCode, type SupplierBooking } from '../model/bookings.js';
import type { Money } from '../model/money.js';
import { faultProblem } from '../offers/refusal.js';
import type { Problem } from '../status/api-error.js';
import type { Supplier } from '../suppliers/registry.js';
import { bookedDifferences, differingView, reasonBooked, statedBy } from './booked-differences.js';
import type { Move, Rental, Reservation } from './reservation.js';
import { isNumber, type Outcome, refRepeatsCard, repeatsCard } from './supplier-outcome.js';

/** The move for the outcome of a booking, and the error entry if nothing was booked. */
export function concluded(
  outcome: Outcome<SupplierBooking>,
  reservation: Reservation,
  supplier: Supplier,
  at: number,
  nextCheckAt: number,
): { readonly move: Move; readonly problem?: Problem } {
  if (outcome.kind === 'unknown') {
    const reason = `${supplier.name} gave no clear answer: the booking may exist`;
    // The call is finished, so nothing more is sent.
    const patch = { ...provenNumber(reservation, outcome.error.booked, supplier), nextCheckAt, sentUntil: at };
    return { move: { to: 'unknown', actor: 'gateway', reason, at, patch } };
  }
  if (outcome.kind === 'not_done') {
    const problem = faultProblem(outcome.error, supplier);
    return {
      move: {
        to: 'failed',
        actor: 'gateway',
        reason: `not booked: ${problem.cause}`,
        at,
        patch: { nextCheckAt: undefined },
      },
      problem,
    };
  }
  const booking = outcome.result;
  if (booking.status === 'rejected') {
    const details = `${supplier.name} did not accept the booking. Nothing is booked. Choose another offer.`;
    const problem: Problem = { reason: 'supplier_failure', supplier: supplier.id, cause: 'rejected', details };
    return {
      move: { to: 'failed', actor: 'gateway', reason: 'not booked: rejected', at, patch: { nextCheckAt: undefined } },
      problem,
    };
  }
  const to = booking.status === 'on_request' ? 'on_request' : 'confirmed';
  const made = to === 'confirmed' ? 'booked' : 'the supplier must accept it manually';
  const reason = lacksCard(reservation, booking) ? `${made}, but the supplier needs a card to finish it` : made;
  const patch = { ...bookedPatch(reservation, booking), nextCheckAt: to === 'on_request' ? nextCheckAt : undefined };
  return { move: { to, actor: 'gateway', reason: reasonBooked(reason, patch.view), at, patch } };
}

/**
 * The confirmation number, and the data for later calls, of a booking that isn't the requested one but has our reference: the
 * supplier may find it by nothing else. If the supplier doesn't find bookings by reference, its answers may have none. Empty if it
 * proves nothing.
 */
function provenNumber(
  reservation: Reservation,
  booked: SupplierBooking | undefined,
  { connection }: Supplier,
): NonNullable<Move['patch']> {
  const isByNumber = connection.adapter.booking?.findsByReference === false;
  const isUnnamed = isByNumber && booked?.reference === undefined;
  if (!booked || !(isUnnamed || booked.reference === reservation.id)) return {};
  const { confirmationNumber, rental } = bookedPatch(reservation, booked);
  return confirmationNumber !== undefined && rental ? { confirmationNumber, rental } : {};
}

/**
 * The patch from a supplier's booking: its confirmation number, the data later calls need, and any difference from what was
 * accepted: the price, the car, the places, the times, the extras, and a card that the supplier needs. `chosenBefore`: the extras before a change.
 */
export function bookedPatch(
  { rental, view, payment, priceDrift: known }: Pick<Reservation, 'rental' | 'view' | 'payment' | 'priceDrift'>,
  booking: SupplierBooking,
  chosenBefore?: Rental['extras'],
): NonNullable<Move['patch']> {
  const { total, confirmationNumber } = booking;
  const ref = refRepeatsCard(booking.ref, payment) ? {} : booking.ref;
  const drift = total ? { accepted: rental.total, actual: total } : known;
  // An answer without a total says nothing about the price, and what is known is about the total that was accepted then.
  const isDrifted = drift !== undefined && isSame(drift.accepted, rental.total) && !isSame(drift.actual, rental.total);
  const differences = bookedDifferences({ rental, view, chosenBefore }, booking);
  const stated = statedBy({ rental, view }, booking);
  const shown = lacksCard({ payment }, booking)
    ? { ...view, requirements: { ...view.requirements, credit_card_required: true } }
    : view;
  return {
    ...(isNumber(confirmationNumber) && !repeatsCard(confirmationNumber, payment) ? { confirmationNumber } : {}),
    rental: { ...rental, ref: { ...rental.ref, ...ref }, ...(stated.length > 0 ? { stated } : {}) },
    priceDrift: isDrifted ? drift : undefined,
    ...(differences || view.booked_differently || shown !== view ? { view: differingView(shown, differences) } : {}),
  };
}

/** Whether a supplier needs a card to finish a booking, and got none. Cards are not stored, so none can be sent later. */
function lacksCard({ payment }: Pick<Reservation, 'payment'>, { creditCardRequired }: SupplierBooking): boolean {
  return creditCardRequired === true && payment.type !== 'card';
}

/**
 * The number that a supplier has given the booking of a reservation since, and the data that calls by it need. Undefined if it shows none: calls
 * by the former number may reach a booking that it has replaced.
 */
export function renumberedPatch(
  reservation: Reservation,
  booking: SupplierBooking,
): Pick<Reservation, 'confirmationNumber' | 'rental'> | undefined {
  const { confirmationNumber, rental = reservation.rental } = bookedPatch(reservation, booking);
  if (confirmationNumber === undefined || isSameCode(confirmationNumber, reservation.confirmationNumber))
    return undefined;
  return { confirmationNumber, rental: { ...reservation.rental, ref: rental.ref } };
}

function isSame(one: Money, other: Money): boolean {
  return one.amountMinor === other.amountMinor && one.currency === other.currency;
}
