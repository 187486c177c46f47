import type { SupplierLocation } from '../model/locations.js';
import { airports, distanceKm, type Position } from '../places/places.js';
import type { LocationsQuery } from './locations.schema.js';
import type { Candidate } from './rank.js';

const DEFAULT_RADIUS_KM = 50;
/** A point belongs to a city if an airport is within this distance. */
const CITY_WITHIN_KM = 100;
/** Large airports count as this much nearer. */
const LARGE_AIRPORT_BONUS_KM = 15;

/** A circle around a point; degrees WGS84. */
export interface Near {
  readonly latitude: number;
  readonly longitude: number;
  readonly radiusKm: number;
}

/** The circle of a query; undefined if it has no point. */
export function nearOf({ latitude, longitude, radius_km }: LocationsQuery): Near | undefined {
  if (latitude === undefined || longitude === undefined) return undefined;
  return { latitude, longitude, radiusKm: radius_km ?? DEFAULT_RADIUS_KM };
}

/**
 * The city of the airport nearest to a point (large airports count as nearer), if one is within reach. For suppliers
 * that only search by keyword.
 */
export function nearestCity(near: Near): string | undefined {
  let best: { city: string; distance: number } | undefined;
  for (const airport of airports) {
    if (Math.abs(airport.latitude - near.latitude) > 2) continue;
    const distance = distanceKm(near, airport) - (airport.large ? LARGE_AIRPORT_BONUS_KM : 0);
    if (distance <= Math.max(CITY_WITHIN_KM, near.radiusKm) && (!best || distance < best.distance))
      best = { city: airport.city, distance };
  }
  return best?.city;
}

/**
 * The locations of one supplier that a search may return: open to the public and inside the circle, if any. A location
 * without coordinates is outside every circle.
 */
export function withinReach(
  supplier: string,
  supplierIndex: number,
  locations: readonly SupplierLocation[],
  near: Near | undefined,
): Candidate[] {
  return locations.flatMap((location): Candidate[] => {
    if (!location.public) return [];
    if (!near) return [{ supplier, supplierIndex, location }];
    const distance = distanceFrom(near, location);
    return distance > near.radiusKm ? [] : [{ supplier, supplierIndex, location, distanceKm: distance }];
  });
}

/** The distance of a location from a point in kilometers; infinite if its position is unknown. */
export function distanceFrom(near: Position, { latitude, longitude }: SupplierLocation): number {
  if (latitude === undefined || longitude === undefined) return Number.POSITIVE_INFINITY;
  return distanceKm(near, { latitude, longitude });
}
