import type { CheckedPrice } from '../offers/price-check.service.js';
import { refusalProblem, searchedOnly } from '../offers/refusal.js';
import { ApiError, type Problem } from '../status/api-error.js';
import type { Supplier } from '../suppliers/registry.js';
import type { NormalizedBooking } from './normalize-booking.js';
import type { CreateBody } from './reservations.schema.js';

/** What the supplier cannot take of how the booking is paid, or that it takes no bookings through the gateway at all. */
export function paymentProblems({ payment }: NormalizedBooking, supplier: Supplier): Problem[] {
  const { booking } = supplier.connection.adapter;
  if (payment.type === 'card' && !booking?.takesCards)
    return [refusalProblem('unsupported_by_supplier', supplier, 'payment.type')];
  if (payment.type === 'voucher' && !booking?.takesVouchers)
    return [refusalProblem('unsupported_by_supplier', supplier, 'payment.type')];
  return supplier.connection.adapter.book ? [] : [searchedOnly(supplier)];
}

/** What is wrong with the age that an offer was priced for; `dateOfBirth` when the driver gave one. */
export function ageProblems(dateOfBirth: string | undefined, { supplier, request, offer }: CheckedPrice): Problem[] {
  const { minAge = 0, maxAge = Number.POSITIVE_INFINITY } = offer.requirements;
  if (request.age >= minAge && request.age <= maxAge) return [];
  const details = `${supplier.name} rents this car to drivers of ${minAge}${Number.isFinite(maxAge) ? ` to ${maxAge}` : ' or more'} years; this one will be ${request.age}.`;
  return [
    {
      ...refusalProblem('not_eligible', supplier, dateOfBirth === undefined ? 'driver.age' : 'driver.date_of_birth'),
      details,
    },
  ];
}

/** What is wrong with the driver's residence: an offer is priced for one country. */
export function residenceProblems({ driver }: CreateBody, { request }: CheckedPrice): Problem[] {
  if (driver.country_code === undefined || driver.country_code === request.countryCode) return [];
  const details = `The offer is priced for residents of ${request.countryCode}. Search again with country_code=${driver.country_code}.`;
  return [{ reason: 'invalid_range', field: 'driver.country_code', details }];
}

/** Throws ApiError with the problems, if there are any. */
export function refuse([first, ...rest]: readonly Problem[]): void {
  if (first) throw new ApiError([first, ...rest]);
}
