import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { PlaceRef } from '../model/locations.js';
import { type Airport, airportByIata, airports, distanceKm } from '../places/places.js';

const DEFAULT_PLACE = 'BOS';
const ELSEWHERE_KM = 60;
const MOST_TRIES = 4;

/** Small and large digits: no minor units, three of them. */
export const ODD_CURRENCY_PLACES = ['HND', 'NRT', 'AMM', 'BAH', 'KWI'] as const;

/** Where the kit looks for cars: `contract.place`, else a large airport of the supplier's countries. Throws an Error for a place that is no airport. */
export function airportFor(config: SupplierConfig): Airport {
  const { place } = config.contract;
  const served =
    config.countries.length === 0
      ? undefined
      : airports.find(({ countryCode, large }) => large && config.countries.includes(countryCode));
  const airport = airportByIata(place ?? served?.iataCode ?? DEFAULT_PLACE);
  if (!airport) throw new Error(`suppliers/${config.id}.yaml contract.place: ${place} is no airport`);
  return airport;
}

/** Where a car may be returned elsewhere: airports of the same country in another city, large ones first, the nearest first. */
export function othersNear(airport: Airport): readonly Airport[] {
  return airports
    .filter(({ countryCode }) => countryCode === airport.countryCode)
    .map((other) => ({ other, km: distanceKm(airport, other) }))
    .filter(({ km }) => km > ELSEWHERE_KM)
    .sort((a, b) => Number(b.other.large) - Number(a.other.large) || a.km - b.km)
    .slice(0, MOST_TRIES)
    .map(({ other }) => other);
}

/** An airport as a search names it. */
export function placeOf({ iataCode, name, countryCode, latitude, longitude }: Airport): PlaceRef {
  return { iataCode, name, countryCode, latitude, longitude };
}
