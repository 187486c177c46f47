import type { Place } from '../places/place.js';
import { placeIndex } from '../places/place-index.js';
import { type Airport, airportByIata, airports, distanceKm, type Position } from '../places/places.js';

/** Most airports of a place that suppliers are asked for: London has six. Each is one call per supplier or brand. */
export const MOST_AIRPORTS = 6;
/** A place without an airport of its own is served by those within this distance. */
const NEAR_KM = 60;
const MOST_NEAR = 3;

/**
 * The airports of a city's or metropolitan code (LON), or of a `plc_…` id of a city, station or postal code, the most
 * important first: its own, otherwise the three nearest within 60 km. Undefined if the text names nothing of the kind, empty if it
 * has none. Regions and countries are too large to search.
 */
export function airportsOfPlace(text: string): readonly Airport[] | undefined {
  const place = text.startsWith('plc_') ? placeIndex().byId(text) : cityWithCode(text);
  if (!place || place.kind === 'region' || place.kind === 'country') return undefined;
  const own = placeIndex()
    .airportsOf(place)
    .flatMap((code) => airportByIata(code) ?? []);
  return own.length > 0
    ? own.slice(0, MOST_AIRPORTS)
    : airportsNear(place, NEAR_KM, MOST_NEAR).map(({ airport }) => airport);
}

/** The position of a `plc_…` id of an airport, city, station or postal code; undefined for anything else. */
export function positionOfPlace(id: string): Position | undefined {
  const place = placeIndex().byId(id);
  return place && place.kind !== 'region' && place.kind !== 'country' ? place : undefined;
}

function cityWithCode(code: string): Place | undefined {
  if (!/^[A-Z]{3}$/.test(code)) return undefined;
  return placeIndex()
    .search(code, 5)
    .map(({ place }) => place)
    .find((place) => place.kind === 'city' && place.code === code);
}

/** An airport and its distance from a point in kilometers. */
export interface NearAirport {
  readonly airport: Airport;
  readonly km: number;
}

/** The nearest airports to a point, the nearest first, at most `most` within `radiusKm`; empty if there are none. */
export function airportsNear(point: Position, radiusKm: number, most: number): readonly NearAirport[] {
  return airports
    .map((airport) => ({ airport, km: distanceKm(point, airport) }))
    .filter(({ km }) => km <= radiusKm)
    .sort((one, other) => one.km - other.km)
    .slice(0, most);
}
