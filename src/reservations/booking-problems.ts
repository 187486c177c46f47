import type { CheckedPrice } from '../offers/price-check.service.js';
import { refusalProblem, searchOnly } from '../offers/refusal.js';
import { ApiError, type Problem } from '../status/api-error.js';
import type { Supplier } from '../suppliers/registry.js';
import type { NormalizedBooking } from './normalize-booking.js';
import type { Reservation, StoredPayment } from './reservation.js';
import type { CreateBody } from './reservations.schema.js';

/** Problems if the supplier does not support the payment type, or takes no bookings through the gateway at all. */
export function paymentProblems({ payment }: NormalizedBooking, supplier: Supplier): Problem[] {
  const { booking } = supplier.connection.adapter;
  if (payment.type === 'card' && !booking?.takesCards)
    return [refusalProblem('unsupported_by_supplier', supplier, 'payment.type')];
  if (payment.type === 'voucher' && !booking?.takesVouchers)
    return [refusalProblem('unsupported_by_supplier', supplier, 'payment.type')];
  return supplier.connection.adapter.book ? [] : [searchOnly(supplier)];
}

/** Problems if the supplier wouldn't learn of additional drivers or of a late pickup, which the renter relies on. */
export function untoldProblems(
  additionalDrivers: readonly unknown[],
  pickupLater: boolean,
  { id, name, connection: { adapter } }: Supplier,
): Problem[] {
  const { booking } = adapter;
  const problems: Problem[] = [];
  const add = (field: string, details: string): void => {
    problems.push({ ...refusalProblem('unsupported_by_supplier', { id, name }, field), details });
  };
  if (additionalDrivers.length > 0 && booking?.takesAdditionalDrivers === false)
    add(
      'additional_drivers',
      `The names of additional drivers cannot be sent to ${name}. Leave them out; the renter adds the drivers at the counter, or choose an extra for them if the offer has one.`,
    );
  if (pickupLater && booking?.takesLatePickup === false)
    add(
      'pickup_later',
      `${name} cannot be notified of a late pickup. Choose the pickup time at which the renter comes.`,
    );
  return problems;
}

/** Problems if the driver is too young or too old for the offer; `dateOfBirth` if the caller gave one. */
export function ageProblems(dateOfBirth: string | undefined, { supplier, request, offer }: CheckedPrice): Problem[] {
  const { minAge = 0, maxAge = Number.POSITIVE_INFINITY } = offer.requirements;
  if (request.age >= minAge && request.age <= maxAge) return [];
  const details = `${supplier.name} rents this car to drivers aged ${minAge}${Number.isFinite(maxAge) ? ` to ${maxAge}` : ' or older'}. This driver will be ${request.age} at pickup.`;
  return [
    {
      ...refusalProblem('not_eligible', supplier, dateOfBirth === undefined ? 'driver.age' : 'driver.date_of_birth'),
      details,
    },
  ];
}

/**
 * Problems if the rate needs a card as guarantee and the renter pays without one; a voucher does not replace it.
 * `changedBy`: the field with the new rate of a reservation, whose payment cannot be changed.
 */
export function guaranteeProblems(
  payment: Pick<StoredPayment, 'type'>,
  { supplier, offer }: Pick<CheckedPrice, 'supplier' | 'offer'>,
  changedBy?: 'offer_id' | 'quote_id',
): Problem[] {
  if (offer.requirements.creditCardRequired !== true || payment.type === 'card') return [];
  const takesCards = supplier.connection.adapter.booking?.takesCards === true;
  const other = 'choose an offer without credit_card_required.';
  const next = changedBy
    ? `The payment of a reservation cannot be changed: ${other}`
    : takesCards
      ? `Send payment.type "card", or ${other}`
      : `Cards cannot be sent to this supplier: ${other}`;
  return [
    {
      reason: 'invalid_request',
      field: changedBy ?? 'payment.type',
      details: `${supplier.name} requires a card as guarantee for this rate. ${next}`,
    },
  ];
}

/**
 * Problems if a booking that a card only guarantees is replaced by one that is paid when it is booked. Cards are not stored, so a
 * change sends none, and nothing says whether the supplier would charge the one that it has. `field` names the new offer.
 */
export function prepaymentProblems(
  { payment, view }: Pick<Reservation, 'payment' | 'view'>,
  { offer: { price } }: Pick<CheckedPrice, 'offer'>,
  field: 'offer_id' | 'quote_id',
): Problem[] {
  const isPaid = Number(view.price.due_now.amount) > 0;
  if (payment.type !== 'card' || isPaid || price.dueNow.amountMinor === 0) return [];
  const details =
    'This offer is paid when it is booked, and a change sends no card. Choose an offer whose due_now is 0, or cancel the reservation and create a new one.';
  return [{ reason: 'invalid_request', field, details }];
}

/** Problems if the driver's residence is not the country the offer was priced for. */
export function residenceProblems({ driver }: CreateBody, { request }: CheckedPrice): Problem[] {
  if (driver.country_code === undefined || driver.country_code === request.countryCode) return [];
  const details = `The offer is priced for residents of ${request.countryCode}. Search again with country_code=${driver.country_code}.`;
  return [{ reason: 'invalid_range', field: 'driver.country_code', details }];
}

/** Throws ApiError with the problems, if there are any. */
export function refuse([first, ...rest]: readonly Problem[]): void {
  if (first) throw new ApiError([first, ...rest]);
}
