import { toUtc } from '../places/places.js';
import type { Whereabouts } from '../places/zone-of.js';
import { latestInstant, timeZonesOf } from '../suppliers/time-zones.js';
import type { Rental, Reservation } from './reservation.js';

/** The instant of a local time at the pickup location of a rental, in epoch milliseconds; if its zone isn't known, in the most likely one. */
export function instantAtPickup(pickup: Rental['pickup'], localTime: string): number {
  const [zone = 'UTC'] = timeZonesOf(whereOf(pickup));
  return Date.parse(toUtc(localTime, zone));
}

/** Like `instantAtPickup`; if the zone isn't known, the earliest instant at which it may be this time there. */
export function earliestInstantAtPickup(pickup: Rental['pickup'], localTime: string): number {
  return Math.min(...timeZonesOf(whereOf(pickup)).map((zone) => Date.parse(toUtc(localTime, zone))));
}

/** Like `instantAtPickup`; if the zone isn't known, the latest instant at which it may be this time there. */
export function latestInstantAtPickup(pickup: Rental['pickup'], localTime: string): number {
  return latestInstant(whereOf(pickup), localTime);
}

/**
 * Until when a renter may still come, as latestInstantAtPickup: the pickup, or the arrival that a renter who comes later has
 * announced, but no later than the dropoff, which it is if the arrival isn't known.
 */
export function renterComesAt({ rental, personal }: Pick<Reservation, 'rental' | 'personal'>): number {
  const { pickup, pickupDate, dropoffDate, pickupLater } = rental;
  const announced = pickupLater ? (personal?.arrival?.arrivesAt ?? dropoffDate) : pickupDate;
  const at = announced < pickupDate ? pickupDate : announced > dropoffDate ? dropoffDate : announced;
  return latestInstantAtPickup(pickup, at);
}

function whereOf(pickup: Rental['pickup']): Whereabouts {
  return { ...pickup, address: { countryCode: pickup.countryCode } };
}
