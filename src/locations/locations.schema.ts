import { z } from 'zod';
import { commaList, countryCodeOr, queryNumber, text } from '../http/fields.js';
import { MAGIC_COUNTRY } from '../sandbox/magic-places.js';

/** Query of GET /cars/locations/v1/ (spec §4.2, ruling 27, docs/model.md#location). */
export const locationsQuery = z
  .strictObject({
    keyword: text(80)
      .optional()
      .describe(
        "City, airport, IATA code or a supplier's location code. Required unless latitude and longitude are given.",
      ),
    country_code: countryCodeOr(MAGIC_COUNTRY).optional(),
    brand: commaList(20).optional().describe('One brand or a comma-separated list; case-insensitive.'),
    latitude: queryNumber(-90, 90)
      .optional()
      .describe('WGS 84 degrees. Together with longitude, the point to search around.'),
    longitude: queryNumber(-180, 180).optional().describe('WGS 84 degrees.'),
    radius_km: queryNumber(1, 200).optional().describe('Maximum distance from the point in kilometers. Default: 50.'),
  })
  .superRefine((query, context) => {
    const missing = (path: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [path], message, params: { reason: 'invalid_request' } });
    };
    if ((query.latitude === undefined) !== (query.longitude === undefined))
      missing(query.latitude === undefined ? 'latitude' : 'longitude', '');
    else if (query.keyword === undefined && query.latitude === undefined)
      missing('keyword', '"keyword" is required unless "latitude" and "longitude" are given.');
    if (query.radius_km !== undefined && query.latitude === undefined)
      missing('radius_km', 'requires "latitude" and "longitude".');
  });

const point = {
  latitude: queryNumber(-90, 90)
    .optional()
    .describe('WGS 84 degrees. Together with longitude, the point from which distance_from_search is measured.'),
  longitude: queryNumber(-180, 180).optional().describe('WGS 84 degrees.'),
};

/** Query of GET /cars/locations/v1/{location_id}. */
export const locationQuery = z.strictObject(point).superRefine(({ latitude, longitude }, context) => {
  if ((latitude === undefined) === (longitude === undefined)) return;
  const [missing, given] = latitude === undefined ? ['latitude', 'longitude'] : ['longitude', 'latitude'];
  const message = `"${missing}" is required with "${given}".`;
  context.addIssue({ code: 'custom', path: [missing], message, params: { reason: 'invalid_request' } });
});

export type LocationQuery = z.output<typeof locationQuery>;

export type LocationsQuery = z.output<typeof locationsQuery>;
