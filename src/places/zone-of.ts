import { airportByIata, airports, timeZoneAt } from './places.js';

/** What may be known of where a location is. */
export interface Whereabouts {
  readonly address: { readonly countryCode: string };
  readonly iataCode?: string | undefined;
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
}

/** Without a known country: UTC, and the zones with the earliest and the latest clock. */
const ANYWHERE = ['UTC', 'Etc/GMT+12', 'Etc/GMT-14'] as const;

/** By country, the zones of its airports. */
const byCountry = new Map<string, readonly string[]>();

/**
 * The IANA zones that a location may be in, the most likely first; one if it is known: from its airport, its coordinates, or its country if that has
 * only one. Throws a RangeError for coordinates that don't exist.
 */
export function zonesOf({ address: { countryCode }, iataCode, latitude, longitude }: Whereabouts): readonly string[] {
  const airport = iataCode === undefined ? undefined : airportByIata(iataCode);
  if (airport && airport.countryCode === countryCode) return [airport.timeZone];
  if (latitude !== undefined && longitude !== undefined) return [timeZoneAt(latitude, longitude)];
  const zones = byCountry.get(countryCode) ?? zonesOfCountry(countryCode);
  if (zones.length === 0) return ANYWHERE;
  byCountry.set(countryCode, zones);
  return zones;
}

/** Those with most of the large airports first, then those with most airports. */
function zonesOfCountry(country: string): string[] {
  const counts = new Map<string, number>();
  for (const { countryCode, timeZone, large } of airports)
    if (countryCode === country) counts.set(timeZone, (counts.get(timeZone) ?? 0) + (large ? airports.length : 1));
  return [...counts].sort((one, other) => other[1] - one[1]).map(([zone]) => zone);
}
