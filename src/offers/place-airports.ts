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
  return own.length > 0 ? own.slice(0, MOST_AIRPORTS) : airportsNear(place, NEAR_KM, MOST_NEAR);
}

function cityWithCode(code: string): Place | undefined {
  if (!/^[A-Z]{3}$/.test(code)) return undefined;
  return placeIndex()
    .search(code, 5)
    .map(({ place }) => place)
    .find((place) => place.kind === 'city' && place.code === code);
}

/** The nearest airports to a point, at most `most` within `radiusKm`. */
export function airportsNear(point: Position, radiusKm: number, most: number): readonly Airport[] {
  return airports
    .map((airport) => ({ airport, km: distanceKm(point, airport) }))
    .filter(({ km }) => km <= radiusKm)
    .sort((one, other) => one.km - other.km)
    .slice(0, most)
    .map(({ airport }) => airport);
}
