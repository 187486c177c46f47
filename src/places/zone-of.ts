import { airportByIata, airports, timeZoneAt, toLocal } from './places.js';

/** What may be known of where a location is. */
export interface Whereabouts {
  readonly address: { readonly countryCode: string };
  readonly iataCode?: string | undefined;
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
}

/** The zones of an unknown country: UTC, and those with the earliest and the latest clock. */
export const ANYWHERE = ['UTC', 'Etc/GMT+12', 'Etc/GMT-14'] as const;

/** By country, the zones of its airports whose clocks differ. */
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

/**
 * One zone for each clock: that with most of the large airports, then with most airports; the clock that most have first. A clock
 * of a single airport that isn't large is usually that of a neighbor across the border, so it only counts if there is no other.
 */
function zonesOfCountry(country: string): string[] {
  const counts = new Map<string, number>();
  for (const { countryCode, timeZone, large } of airports)
    if (countryCode === country) counts.set(timeZone, (counts.get(timeZone) ?? 0) + (large ? airports.length : 1));
  const clocks = new Map<string, { readonly zone: string; count: number }>();
  for (const [zone, count] of [...counts].sort((one, other) => other[1] - one[1])) {
    const clock = clockOf(zone);
    const known = clocks.get(clock);
    if (known) known.count += count;
    else clocks.set(clock, { zone, count });
  }
  const found = [...clocks.values()].sort((one, other) => other.count - one.count);
  const usual = found.filter(({ count }) => count > 1);
  return (usual.length > 0 ? usual : found).map(({ zone }) => zone);
}

/** What the clock of a zone shows at the beginning of each month of this year: zones in which that is the same are one. */
function clockOf(zone: string): string {
  const year = new Date().getUTCFullYear();
  return Array.from({ length: 12 }, (_, month) => toLocal(Date.UTC(year, month), zone)).join();
}
