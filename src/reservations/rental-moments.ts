import { toUtc } from '../places/places.js';
import { timeZoneOf } from '../representations/location-view.js';
import type { Rental } from './reservation.js';

/** The instant of a local time at the pickup location of a rental, in epoch milliseconds. */
export function instantAtPickup(pickup: Rental['pickup'], localTime: string): number {
  const zone = timeZoneOf({ ...pickup, address: { countryCode: pickup.countryCode } });
  return Date.parse(toUtc(localTime, zone));
}
