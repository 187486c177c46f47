import type { Refusal, SupplierError } from '../model/supplier.js';
import type { Problem } from '../status/api-error.js';
import { causes } from '../status/causes.js';
import { failureProblem } from '../suppliers/merge.js';
import { causeOf, type SupplierRef } from '../suppliers/outcome.js';

/** What each refusal tells the caller, and what to do next; its reason is that of its cause (ruling 24). */
const DETAILS: Readonly<Record<Refusal, (name: string) => string>> = {
  sold_out: (name) => `${name} has no car left for this offer. Search again for others.`,
  rate_expired: (name) => `${name} does not sell this rate any more. Search again for a fresh offer.`,
  not_found: (name) => `${name} knows no such booking.`,
  price_changed: (name) => `${name} has changed the price. Price the offer again and accept the new total.`,
  card_declined: (name) => `${name} did not accept the card. Use another card or another way to pay.`,
  not_changeable: (name) => `${name} does not allow this change. Cancel the reservation and book anew.`,
  unsupported_by_supplier: (name) =>
    `${name} does not offer this. Leave it out or choose an offer of another supplier.`,
  location_closed: (name) => `${name} is closed at that place and time. Choose other times or another location.`,
  invalid_location: (name) => `${name} does not rent between these locations. Choose others and search again.`,
  invalid_rate: (name) => `${name} does not accept this rate for the rental. Search again and choose another offer.`,
  invalid_discount: (name) => `${name} does not accept the discount code. Search again without it.`,
  not_eligible: (name) => `${name} does not rent this car to this driver. Choose another car or another driver.`,
  extra_not_available: (name) => `${name} cannot add a chosen extra or coverage. Choose among those of the offer.`,
};

/** The entry for a supplier that clearly said no (ruling 24). `field` is the body field at fault, where one is. */
export function refusalProblem(refusal: Refusal, supplier: SupplierRef, field?: string): Problem {
  return {
    reason: causes[refusal].reason,
    details: DETAILS[refusal](supplier.name),
    supplier: supplier.id,
    cause: refusal,
    ...(field === undefined ? {} : { field }),
  };
}

/** The entry for any error of one supplier: its refusal, or else supplier_failure as in a search. */
export function faultProblem(error: SupplierError, supplier: SupplierRef, field?: string): Problem {
  const refused = error.fault === 'rejected' ? error.refusal : undefined;
  return refused === undefined
    ? failureProblem(supplier, causeOf(error.fault))
    : refusalProblem(refused, supplier, field);
}

/** The entry for an offer of a supplier that can be searched but not priced or booked. */
export function searchedOnly(supplier: SupplierRef, field?: string): Problem {
  const details = `${supplier.name} can be searched only, its offers can be neither priced nor booked here. Choose an offer of another supplier.`;
  return { ...refusalProblem('unsupported_by_supplier', supplier, field), details };
}
