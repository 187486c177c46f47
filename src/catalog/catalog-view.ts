import { placeFor } from '../offers/resolve-place.js';
import type { ScopedSearch } from '../suppliers/scoped-codes.js';
import type { NormalizedSearch } from './normalize-search.js';

/**
 * The search as sent to a supplier (undefined = one whose own location codes do not occur in it); the fan-out adds the
 * brands and leaves out the codes and memberships of others.
 */
export function catalogViewOf(search: NormalizedSearch, supplier: string | undefined): ScopedSearch {
  return {
    pickup: placeFor(search.pickup, supplier),
    dropoff: placeFor(search.dropoff, supplier),
    pickupDate: search.pickupDate,
    dropoffDate: search.dropoffDate,
    countryCode: search.countryCode,
    age: search.age,
    ...(search.dateOfBirth === undefined ? {} : { dateOfBirth: search.dateOfBirth }),
    ...(search.currency === undefined ? {} : { currency: search.currency }),
    sippCodes: search.sippCodes,
    discountCodes: search.discountCodes,
    loyalty: search.loyalty,
    additionalDrivers: search.additionalDrivers,
  };
}
