import { distanceKm } from '../places/places.js';
import type { SimulatedLocation } from './world.js';

const SAME_CITY_KM = 40;
const FARTHEST_KM = 3_000;
const ABROAD_FACTOR = 1.6;

/** Pairs of neighboring countries in Europe between which one-way rentals are allowed. */
const NEIGHBOURS = new Set(
  `AT-CH AT-CZ AT-DE AT-HU AT-IT AT-SI AT-SK BE-DE BE-FR BE-LU BE-NL CH-DE CH-FR CH-IT CZ-DE CZ-PL CZ-SK DE-DK DE-FR DE-LU DE-NL DE-PL DK-SE
 EE-LV ES-FR ES-PT FI-NO FI-SE FR-IT FR-LU HR-HU HR-SI HU-SK IT-SI LT-LV LT-PL NO-SE GB-IE`.split(/\s+/),
);

/**
 * The one-way fee in dollars, before the brand's factor: 0 at the same location and within a city. Undefined if the
 * one-way rental is not offered: over 3,000 km, or to another country other than a neighbor in Europe.
 */
export function oneWayDollars(pickup: SimulatedLocation, dropoff: SimulatedLocation): number | undefined {
  if (pickup.code === dropoff.code) return 0;
  const abroad = pickup.countryCode !== dropoff.countryCode;
  if (abroad && !NEIGHBOURS.has([pickup.countryCode, dropoff.countryCode].sort().join('-'))) return undefined;
  const km = distanceKm(pickup, dropoff);
  if (km > FARTHEST_KM) return undefined;
  if (km < SAME_CITY_KM && !abroad) return 0;
  return Math.min(900, 30 + km * 0.24) * (abroad ? ABROAD_FACTOR : 1);
}
