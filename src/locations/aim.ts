import { foldName } from '../places/fold.js';
import type { Place } from '../places/place.js';
import { placeIndex } from '../places/place-index.js';
import { airportByIata } from '../places/places.js';
import type { MagicPlace } from '../sandbox/magic-places.js';
import type { LocationsQuery } from './locations.schema.js';
import { type Near, nearestCity } from './reach.js';

/** Locations are looked for this far from a place that has none. */
const AROUND_KM = 50;
/** Shorter texts are places only if they are a code or a name: they may be a supplier's own code. */
const SHORTEST_PART = 4;

/** What a search is for, in terms that suppliers understand: they search literally, by city or code. */
export interface Aim {
  /** Sent to suppliers; undefined = they get the point `near`. */
  readonly keyword: string | undefined;
  /** Results are limited to this circle. */
  readonly near?: Near;
  /** Whether results are ordered by distance instead of by relevance for the keyword. */
  readonly isByDistance: boolean;
  /** What the caller's keyword means, if it is known. */
  readonly place?: Place;
  /** The circle to search if no location is found at the place. */
  readonly otherwise?: Near;
}

/** The aim of a query: its circle `near`, a magic place, or the place that the keyword names; an unknown keyword stays as it is. */
export function aimOf(
  { keyword, country_code }: Pick<LocationsQuery, 'keyword' | 'country_code'>,
  near: Near | undefined,
  magic: MagicPlace | undefined,
): Aim {
  const circle = near && { near };
  if (keyword === undefined) return { keyword: near && nearestCity(near), ...circle, isByDistance: true };
  if (magic) return { keyword: magic, ...circle, isByDistance: false };
  const [found] = placeIndex().search(keyword, 1, country_code);
  if (!found || !isMeant(keyword, found.place)) return { keyword, ...circle, isByDistance: false };
  const { place, isCorrected } = found;
  if (near) return { keyword: isCorrected ? place.name : keyword, near, isByDistance: false };
  const typed = isCorrected ? place.name : keyword;
  const [airport] = placeIndex().airportsOf(place);
  if (place.kind === 'airport') return { keyword: place.code ?? typed, place, isByDistance: false };
  if (airport !== undefined) return { keyword: cityFor(typed, place), place, isByDistance: false };
  const around: Near = { latitude: place.latitude, longitude: place.longitude, radiusKm: AROUND_KM };
  if (place.kind === 'city' || place.kind === 'station')
    return { keyword: typed, place, otherwise: around, isByDistance: false };
  const city = nearestCity(around);
  return place.kind === 'postal_code'
    ? { keyword: city, near: around, place, isByDistance: true }
    : { keyword: city ?? typed, place, isByDistance: false };
}

function isMeant(keyword: string, { code, name }: Place): boolean {
  const folded = foldName(keyword);
  return folded.length >= SHORTEST_PART || code?.toLowerCase() === folded || foldName(name) === folded;
}

/** The name by which suppliers know a city with an airport: as typed if it is that name. */
function cityFor(typed: string, place: Place): string {
  const cities = placeIndex()
    .airportsOf(place)
    .flatMap((code) => airportByIata(code)?.city ?? []);
  const name = cities.find((city) => foldName(city) === foldName(place.name)) ?? cities[0] ?? place.name;
  return foldName(name) === foldName(typed) ? typed : name;
}
