import type { BookedPlace } from '../../model/bookings.js';
import type { PlaceRef, SupplierLocation } from '../../model/locations.js';
import { airportByIata } from '../../places/places.js';

/**
 * A location of an offer of which nothing says where it is except three letters: if they are another airport than the
 * requested place, it is there, with the position to compare (ruling 30). `asked` is the code that the supplier was
 * asked for, which stays its own code whatever else has that name.
 */
export function atBareAirport(
  location: SupplierLocation,
  { supplierCode, iataCode }: PlaceRef,
  asked?: string,
): SupplierLocation {
  if (location.iataCode !== undefined || location.latitude !== undefined) return location;
  const code = location.code.toUpperCase();
  if ([supplierCode, iataCode, asked].some((known) => known?.toUpperCase() === code)) return location;
  const airport = airportByIata(code);
  if (!airport) return location;
  const { latitude, longitude } = airport;
  return { ...location, iataCode: code, latitude, longitude };
}

/**
 * A place of a booking, with the position of the airport that it is, if it is one. An `iataCode` that isn't an airport is the
 * supplier's own code and left out.
 */
export function bookedPlace({ code, iataCode, latitude, longitude }: SupplierLocation): BookedPlace {
  const airport = iataCode === undefined ? undefined : airportByIata(iataCode);
  if (latitude !== undefined && longitude !== undefined)
    return { code, ...(airport && { iataCode: airport.iataCode }), latitude, longitude };
  return airport
    ? { code, iataCode: airport.iataCode, latitude: airport.latitude, longitude: airport.longitude }
    : { code };
}
