import type { Refusal, SupplierError } from '../model/supplier.js';
import type { Problem } from '../status/api-error.js';
import { causes } from '../status/causes.js';
import { failureProblem } from '../suppliers/merge.js';
import { causeOf, type SupplierRef } from '../suppliers/outcome.js';

/** The details of each refusal, with the next step (ruling 24). */
const DETAILS: Readonly<Record<Refusal, (name: string) => string>> = {
  sold_out: (name) => `${name} has no cars left for this offer. Search again for other offers.`,
  rate_expired: (name) => `${name} no longer sells this rate. Search again for a new offer.`,
  not_found: (name) => `${name} has no such booking.`,
  price_changed: (name) => `${name} has changed the price. Check the price again and accept the new total.`,
  card_declined: (name) => `${name} did not accept the card. Use another card or payment type.`,
  not_changeable: (name) => `${name} does not allow this change. Cancel the reservation and create a new one.`,
  unsupported_by_supplier: (name) =>
    `${name} does not support this. Leave it out or choose an offer from another supplier.`,
  location_closed: (name) => `${name} is closed at that location and time. Choose another time or location.`,
  invalid_location: (name) => `${name} does not rent between these locations. Search again with other locations.`,
  invalid_rate: (name) => `${name} does not accept this rate for the rental. Search again and choose another offer.`,
  invalid_discount: (name) => `${name} does not accept the discount code. Search again without it.`,
  not_eligible: (name) => `${name} does not rent this car to this driver. Choose another car or another driver.`,
  extra_not_available: (name) =>
    `${name} cannot add one of the chosen extras or coverages. Choose from those listed in the offer.`,
};

/** The entry for a supplier's refusal (ruling 24). `field` is the body field that caused it, if any. */
export function refusalProblem(refusal: Refusal, supplier: SupplierRef, field?: string): Problem {
  return {
    reason: causes[refusal].reason,
    details: DETAILS[refusal](supplier.name),
    supplier: supplier.id,
    cause: refusal,
    ...(field === undefined ? {} : { field }),
  };
}

/** The entry for any supplier error: its refusal, or supplier_failure as in a search. */
export function faultProblem(error: SupplierError, supplier: SupplierRef, field?: string): Problem {
  const refused = error.fault === 'rejected' ? error.refusal : undefined;
  return refused === undefined
    ? failureProblem(supplier, causeOf(error.fault))
    : refusalProblem(refused, supplier, field);
}

/** The entry for an offer of a supplier that can be searched but not priced or booked. */
export function searchOnly(supplier: SupplierRef, field?: string): Problem {
  const details = `${supplier.name} can only be searched: its offers cannot be priced or booked here. Choose an offer from another supplier.`;
  return { ...refusalProblem('unsupported_by_supplier', supplier, field), details };
}
