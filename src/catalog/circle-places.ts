import { airportsNear, MOST_AIRPORTS, positionOfPlace } from '../offers/place-airports.js';
import {
  atAirport,
  type BrandOwner,
  type Circle,
  isProblem,
  type PlaceSettings,
  type ResolvedPlace,
  resolvePlace,
} from '../offers/resolve-place.js';
import type { Problem } from '../status/api-error.js';
import { airportCodes, dropoffProblem } from './airport-codes.js';
import type { VehiclesBody, VehiclesQuery } from './vehicles.schema.js';

const DEFAULT_KM = 50;
/** Half of the circumference of the earth: the nearest airport is within it. */
const ANYWHERE_KM = 20_100;

/** How a caller named one of the two places; the schema allows only one way. */
interface Named {
  readonly location: string | undefined;
  readonly latitude: number | undefined;
  readonly longitude: number | undefined;
  readonly radiusKm: number | undefined;
}

/** The resolved places of a search and a return; problems take their place. */
export interface Places {
  readonly pickup: ResolvedPlace | Problem;
  /** The object `pickup` if the car is returned where it was picked up. */
  readonly dropoff: ResolvedPlace | Problem;
}

/**
 * Resolves both places of a search: by location, or by the airports around a point. A pickup has the nearest six of a circle; a return by a
 * point is at the nearest.
 */
export function placesOf(
  input: VehiclesQuery | VehiclesBody,
  owner: BrandOwner | undefined,
  settings: PlaceSettings,
): Places {
  const from: Named = {
    location: input.pickup_location,
    latitude: input.pickup_latitude,
    longitude: input.pickup_longitude,
    radiusKm: input.pickup_radius_km,
  };
  const to: Named = {
    location: input.dropoff_location,
    latitude: input.dropoff_latitude,
    longitude: input.dropoff_longitude,
    radiusKm: input.dropoff_radius_km,
  };
  const pickup = resolved(from, 'pickup', owner, settings);
  if (isProblem(pickup) && to.location === undefined && to.latitude === undefined) return { pickup, dropoff: pickup };
  const isSamePoint = to.latitude !== undefined && to.latitude === from.latitude && to.longitude === from.longitude;
  if (isSamePoint || (to.location === undefined && to.latitude === undefined)) return { pickup, dropoff: pickup };
  const dropoff = resolved(to, 'dropoff', owner, settings);
  if (isProblem(dropoff)) return { pickup, dropoff };
  const isSame = !isProblem(pickup) && pickup.airports && pickup.given === dropoff.given;
  if (isSame) return { pickup, dropoff: pickup };
  const [nearest] = dropoff.circle ? (dropoff.airports ?? []) : [];
  if (nearest) return { pickup, dropoff: { ...nearest, ...(dropoff.circle && { circle: dropoff.circle }) } };
  return { pickup, dropoff: dropoffProblem(dropoff) ?? dropoff };
}

function resolved(
  { location, latitude, longitude, radiusKm }: Named,
  side: 'pickup' | 'dropoff',
  owner: BrandOwner | undefined,
  settings: PlaceSettings,
): ResolvedPlace | Problem {
  if (latitude !== undefined && longitude !== undefined)
    return inCircle({ point: { latitude, longitude }, radiusKm: radiusKm ?? DEFAULT_KM }, side);
  const text = location ?? '';
  if (radiusKm === undefined) return resolvePlace(text, `${side}_location`, owner, settings);
  const point = positionOfPlace(text);
  if (point) return inCircle({ placeId: text, point, radiusKm }, side);
  const place = resolvePlace(text, `${side}_location`, owner, settings);
  if (isProblem(place)) return place;
  const field = `${side}_radius_km`;
  const details = `"${field}" can't be used with "${text.slice(0, 40)}", which has no position.`;
  return { reason: 'invalid_request', field, details };
}

function inCircle(circle: Omit<Circle, 'found'>, side: string): ResolvedPlace | Problem {
  const { placeId, point, radiusKm } = circle;
  const found = airportsNear(point, radiusKm, MOST_AIRPORTS);
  const airports = found.map(({ airport }) => atAirport(airport));
  const [first] = airports;
  if (first)
    return {
      ...first,
      given: placeId ?? `${point.latitude},${point.longitude}`,
      airports,
      circle: { ...circle, found },
    };
  const [next] = airportsNear(point, ANYWHERE_KM, 1);
  const hint = next ? ` The nearest is ${next.airport.iataCode}, ${Math.ceil(next.km)} km away.` : '';
  const field = `${side}_radius_km`;
  return { reason: 'invalid_range', field, details: `No airport is within ${radiusKm} km of the point.${hint}` };
}

/** The two places as echoed in `request`: named as the caller did, with the airports of a circle and their distances. */
export function placesEcho(pickup: ResolvedPlace, dropoff: ResolvedPlace): Record<string, unknown> {
  const isCircleOfPickup = dropoff === pickup && pickup.circle && pickup.circle.placeId === undefined;
  return {
    ...(pickup.circle
      ? circleEcho(pickup.circle, 'pickup')
      : { pickup_location: pickup.given, pickup_airports: airportCodes(pickup) }),
    ...(isCircleOfPickup ? {} : dropoffEcho(pickup, dropoff)),
  };
}

function dropoffEcho(pickup: ResolvedPlace, dropoff: ResolvedPlace): Record<string, unknown> {
  if (dropoff === pickup || !dropoff.circle) return { dropoff_location: dropoff.given };
  const { found, ...circle } = dropoff.circle;
  return circleEcho({ ...circle, found: found.slice(0, 1) }, 'dropoff');
}

function circleEcho({ placeId, point, radiusKm, found }: Circle, side: string): Record<string, unknown> {
  return {
    [`${side}_location`]: placeId,
    ...(placeId === undefined ? { [`${side}_latitude`]: point.latitude, [`${side}_longitude`]: point.longitude } : {}),
    [`${side}_radius_km`]: radiusKm,
    [`${side}_airports`]: found.map(({ airport }) => airport.iataCode),
    [`${side}_distances`]: found.map(({ airport, km }) => ({
      iata_code: airport.iataCode,
      distance_from_search: { value: Math.round(km * 10) / 10, unit: 'km' },
    })),
  };
}
