import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { PlaceRef } from '../model/locations.js';
import { type Airport, airportByIata, airports, distanceKm } from '../places/places.js';

const DEFAULT_PLACE = 'BOS';
const ELSEWHERE_KM = 60;
const MOST_TRIES = 4;

/** Airports in countries whose currencies have no minor units or three digits of them. */
export const ODD_CURRENCY_PLACES = ['HND', 'NRT', 'AMM', 'BAH', 'KWI'] as const;

/**
 * The airport at which the kit searches: `contract.place`, else a large one in the supplier's countries. Throws an
 * Error if `contract.place` is not an airport.
 */
export function airportFor(config: SupplierConfig): Airport {
  const { place } = config.contract;
  const served =
    config.countries.length === 0
      ? undefined
      : airports.find(({ countryCode, large }) => large && config.countries.includes(countryCode));
  const airport = airportByIata(place ?? served?.iataCode ?? DEFAULT_PLACE);
  if (!airport)
    throw new Error(`suppliers/${config.id}.yaml contract.place: "${place}" is not the IATA code of a known airport`);
  return airport;
}

/** Airports for one-way returns: in the same country but another city, large ones first, then by distance. */
export function othersNear(airport: Airport): readonly Airport[] {
  return airports
    .filter(({ countryCode }) => countryCode === airport.countryCode)
    .map((other) => ({ other, km: distanceKm(airport, other) }))
    .filter(({ km }) => km > ELSEWHERE_KM)
    .sort((a, b) => Number(b.other.large) - Number(a.other.large) || a.km - b.km)
    .slice(0, MOST_TRIES)
    .map(({ other }) => other);
}

/** An airport as the place of a search. */
export function placeOf({ iataCode, name, countryCode, latitude, longitude }: Airport): PlaceRef {
  return { iataCode, name, countryCode, latitude, longitude };
}
