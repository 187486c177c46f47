import tzLookup from '@photostructure/tz-lookup';
import currencyByCountry from 'country-to-currency';
import rows from './airports.json' with { type: 'json' };

export { latestOfLocal, toLocal, toUtc } from './zone-clock.js';

/** An airport with scheduled service (OurAirports data, see scripts/build-airports.mjs). */
export interface Airport {
  readonly iataCode: string;
  readonly name: string;
  readonly city: string;
  readonly region: string;
  /** ISO 3166-2 without the country: `MA`, `IDF`. */
  readonly regionCode: string;
  readonly countryCode: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly timeZone: string;
  /** Whether it is one of the world's largest airports (about 450). */
  readonly large: boolean;
}

/** A point in WGS84 degrees. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** All airports, by IATA code. */
export const airports: readonly Airport[] = rows.map(
  ([iataCode, name, city, region, regionCode, countryCode, latitude, longitude, timeZone, large]) => ({
    iataCode: String(iataCode),
    name: String(name),
    city: String(city),
    region: String(region),
    regionCode: String(regionCode),
    countryCode: String(countryCode),
    latitude: Number(latitude),
    longitude: Number(longitude),
    timeZone: String(timeZone),
    large: large === 1,
  }),
);

const byIata = new Map(airports.map((airport) => [airport.iataCode, airport]));

/** Finds an airport by its IATA code in capitals; undefined if it has no scheduled service. */
export function airportByIata(code: string): Airport | undefined {
  return byIata.get(code);
}

const largeFirst = [...airports].sort((a, b) => Number(b.large) - Number(a.large));
const foldedCity = new Map(airports.map((airport) => [airport, fold(airport.city)]));

/**
 * Suggests codes for `text`, most likely first: the code itself, then airports of cities that start with it (if it has
 * at least three letters), then codes with one typo (a wrong, missing or extra letter, or two swapped). Larger airports
 * come first.
 */
export function nearestIataCodes(text: string, limit: number): readonly string[] {
  const folded = fold(text.trim());
  const code = folded.toUpperCase();
  const cities = folded.length < 3 ? [] : largeFirst.filter((airport) => foldedCity.get(airport)?.startsWith(folded));
  const slips =
    code.length < 2 || code.length > 4 ? [] : largeFirst.filter((airport) => isOneSlip(code, airport.iataCode));
  const exact = byIata.get(code);
  return [...new Set([...(exact ? [exact] : []), ...cities, ...slips])]
    .slice(0, limit)
    .map((airport) => airport.iataCode);
}

function isOneSlip(typed: string, code: string): boolean {
  let start = 0;
  while (start < typed.length && typed[start] === code[start]) start += 1;
  const rest = (text: string, skipped: number) => text.slice(start + skipped);
  if (rest(typed, 1) === rest(code, 1) || rest(typed, 1) === rest(code, 0) || rest(typed, 0) === rest(code, 1))
    return true;
  return typed[start] === code[start + 1] && typed[start + 1] === code[start] && rest(typed, 2) === rest(code, 2);
}

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The IANA time zone of a point, at sea `Etc/GMT…`. Throws for invalid coordinates, so check input first. */
export function timeZoneAt(latitude: number, longitude: number): string {
  return tzLookup(latitude, longitude);
}

const currencies = new Map<string, string>(Object.entries(currencyByCountry));

/** Whether `code` is an ISO 3166-1 alpha-2 country code in capitals. The sandbox's `ZZ` isn't. */
export function isCountry(code: string): boolean {
  return currencies.has(code);
}

/** The ISO 4217 currency of a country; undefined for an unknown country. */
export function currencyOfCountry(code: string): string | undefined {
  return currencies.get(code);
}

const EARTH_RADIUS_KM = 6371;

/** Great-circle distance in kilometers (haversine, within 0.5% of the ellipsoid). */
export function distanceKm(from: Position, to: Position): number {
  const radians = Math.PI / 180;
  const halfLat = Math.sin(((to.latitude - from.latitude) * radians) / 2);
  const halfLon = Math.sin(((to.longitude - from.longitude) * radians) / 2);
  const chord = halfLat ** 2 + Math.cos(from.latitude * radians) * Math.cos(to.latitude * radians) * halfLon ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)));
}
