import { z } from 'zod';
import { decimalNumber, queryNumber } from '../http/fields.js';

const LATITUDE = 'WGS 84 degrees. Together with';
const RADIUS =
  'Greatest distance of airports from the point, in kilometers. Default: 50. Also with a plc_… id as the location: then around that place.';
const described = {
  pickup_latitude: `${LATITUDE} pickup_longitude, and instead of pickup_location: a point whose six nearest airports are searched.`,
  pickup_longitude: 'WGS 84 degrees.',
  pickup_radius_km: RADIUS,
  dropoff_latitude: `${LATITUDE} dropoff_longitude, and instead of dropoff_location: a point; the car is returned at the nearest airport.`,
  dropoff_longitude: 'WGS 84 degrees.',
  dropoff_radius_km: RADIUS,
};
const MOST_KM = 200;

/** Points and radii in the query of GET /cars/catalog/v1/vehicles. */
export const circleQuery = fieldsOf(queryNumber);

/** The same in the body of POST /cars/catalog/v1/vehicles. */
export const circleBody = fieldsOf(decimalNumber);

function fieldsOf<T extends typeof queryNumber | typeof decimalNumber>(number: T) {
  type Field = z.ZodOptional<ReturnType<T>>;
  const field = (name: keyof typeof described, min: number, max: number): Field =>
    number(min, max).optional().describe(described[name]) as Field;
  return {
    pickup_latitude: field('pickup_latitude', -90, 90),
    pickup_longitude: field('pickup_longitude', -180, 180),
    pickup_radius_km: field('pickup_radius_km', 1, MOST_KM),
    dropoff_latitude: field('dropoff_latitude', -90, 90),
    dropoff_longitude: field('dropoff_longitude', -180, 180),
    dropoff_radius_km: field('dropoff_radius_km', 1, MOST_KM),
  };
}

/**
 * Requires exactly one way to name the pickup, and at most one to name the dropoff: one issue per side that has none, several or half of one. It is checked together with the other fields, and a missing
 * pickup_location comes first among the entries.
 */
export const namesPlaces = z.check<Record<string, unknown>>((context) => {
  const { value } = context;
  const report = (path: string, message: string, first = false): void => {
    const params = { reason: 'invalid_request' };
    const issue = { code: 'custom' as const, path: [path], message, input: value, params };
    if (first) context.issues.unshift(issue);
    else context.issues.push(issue);
  };
  for (const side of ['pickup', 'dropoff'] as const) {
    const [place, latitude, longitude] = [`${side}_location`, `${side}_latitude`, `${side}_longitude`];
    const has = (name: string): boolean => value[name] !== undefined;
    const isPoint = has(latitude) || has(longitude);
    if (!has(place) && !isPoint && side === 'pickup') report(place, `"${place}" is required.`, true);
    else if (has(place) && isPoint)
      report(has(latitude) ? latitude : longitude, `excludes "${place}": name the place in one way only.`);
    else if (isPoint && !(has(latitude) && has(longitude))) {
      const [missing, given] = has(longitude) ? [latitude, longitude] : [longitude, latitude];
      report(missing, `"${missing}" is required with "${given}".`);
    } else if (has(`${side}_radius_km`) && !isPoint && !String(value[place] ?? '').startsWith('plc_'))
      report(`${side}_radius_km`, `requires "${latitude}" and "${longitude}", or a plc_… id as "${place}".`);
  }
});
namesPlaces._zod.def.when = () => true;
