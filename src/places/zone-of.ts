import { airportByIata, airports, timeZoneAt } from './places.js';

/** What may be known of where a location is. */
export interface Whereabouts {
  readonly address: { readonly countryCode: string };
  readonly iataCode?: string | undefined;
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
}

/**
 * The IANA zone of a location: from its airport, its coordinates or its country's first large airport; otherwise UTC.
 * Throws a RangeError for coordinates that don't exist.
 */
export function zoneOf({ address: { countryCode }, iataCode, latitude, longitude }: Whereabouts): string {
  const airport = iataCode === undefined ? undefined : airportByIata(iataCode);
  if (airport && airport.countryCode === countryCode) return airport.timeZone;
  if (latitude !== undefined && longitude !== undefined) return timeZoneAt(latitude, longitude);
  const inCountry = airports.filter((row) => row.countryCode === countryCode);
  return (inCountry.find((row) => row.large) ?? inCountry[0])?.timeZone ?? 'UTC';
}
