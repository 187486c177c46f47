import { z } from 'zod';
import { countryCodeOr, queryInteger, text } from '../http/fields.js';
import { MAGIC_COUNTRY } from '../sandbox/magic-places.js';

/** Suggestions without max_results. */
const DEFAULT_RESULTS = 8;

/** Query of GET /cars/places/v1. */
export const placesQuery = z.strictObject({
  keyword: text(80).describe(
    'What a traveler has typed so far: a city, airport, region, country, station, postal code or IATA code, in any language.',
  ),
  country_code: countryCodeOr(MAGIC_COUNTRY).optional().describe('Only places in this country, ISO 3166-1 alpha-2.'),
  max_results: queryInteger(1, 20).default(DEFAULT_RESULTS),
});

export type PlacesQuery = z.output<typeof placesQuery>;
