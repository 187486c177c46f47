import type { SupplierLocation } from '../model/locations.js';
import { airports, distanceKm } from '../places/places.js';
import { isMagicPlace } from '../sandbox/magic-places.js';
import { correctKeyword } from './correct-keyword.js';
import type { LocationsQuery } from './locations.schema.js';
import type { Candidate } from './rank.js';

const DEFAULT_RADIUS_KM = 50;
/** A point has a city when an airport is at least this near. */
const CITY_WITHIN_KM = 100;
/** A large airport counts as this much nearer. */
const LARGE_AIRPORT_BONUS_KM = 15;

/** A circle around a point; degrees WGS84. */
export interface Near {
  readonly latitude: number;
  readonly longitude: number;
  readonly radiusKm: number;
}

/** The circle that a query searches; undefined = it gives no point. */
export function nearOf({ latitude, longitude, radius_km }: LocationsQuery): Near | undefined {
  if (latitude === undefined || longitude === undefined) return undefined;
  return { latitude, longitude, radiusKm: radius_km ?? DEFAULT_RADIUS_KM };
}

/**
 * The word that suppliers are asked for: the caller's, with a slip corrected, or the city nearest to the point; undefined = suppliers are asked
 * for the point itself.
 */
export function keywordOf({ keyword }: LocationsQuery, near: Near | undefined): string | undefined {
  if (keyword === undefined) return near && nearestCity(near);
  const code = keyword.toUpperCase();
  return isMagicPlace(code) ? code : (correctKeyword(keyword) ?? keyword);
}

/** Suppliers search by word: a point becomes the city of its nearest airport (a large one counts as nearer), if one is within reach. */
export function nearestCity(near: Near): string | undefined {
  let best: { city: string; away: number } | undefined;
  for (const airport of airports) {
    if (Math.abs(airport.latitude - near.latitude) > 2) continue;
    const away = distanceKm(near, airport) - (airport.large ? LARGE_AIRPORT_BONUS_KM : 0);
    if (away <= Math.max(CITY_WITHIN_KM, near.radiusKm) && (!best || away < best.away))
      best = { city: airport.city, away };
  }
  return best?.city;
}

/**
 * The locations of one supplier that a search may show: open to the public and inside the circle, if there is one. One without a position is
 * outside every circle.
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
    const away = distanceFrom(near, location);
    return away > near.radiusKm ? [] : [{ supplier, supplierIndex, location, distanceKm: away }];
  });
}

function distanceFrom(near: Near, { latitude, longitude }: SupplierLocation): number {
  if (latitude === undefined || longitude === undefined) return Number.POSITIVE_INFINITY;
  return distanceKm(near, { latitude, longitude });
}
