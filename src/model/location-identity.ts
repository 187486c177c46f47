import type { SupplierLocation } from './locations.js';

/**
 * Identifies a location of a supplier: two have the same text if they have the same code, country, airport, position and
 * telephone number, of which their ids and time zones are computed. No member has a line break (checked in suppliers/answers).
 */
export function identityOf({ brand, code, iataCode, address, latitude, longitude, phone }: SupplierLocation): string {
  return `${brand}\n${code}\n${iataCode}\n${address.countryCode}\n${latitude}\n${longitude}\n${phone}`;
}
