import { z } from 'zod';
import { statusWire } from '../status/status.wire.js';

/** A place that travelers name. */
export const placeWire = z
  .strictObject({
    place_id: z
      .string()
      .describe('Opaque id; that of an airport, city, station or postal code can be used as pickup_location.'),
    type: z.enum(['city', 'airport', 'station', 'region', 'country', 'postal_code']),
    name: z.string(),
    code: z
      .string()
      .optional()
      .describe(
        'IATA code of an airport or metropolitan area, ISO 3166 code of a country or region, or the postal code.',
      ),
    region: z.string().optional().describe('Name of the region, if it is known.'),
    country_code: z.string(),
    country: z.string().optional().describe('Name of the country in English.'),
    latitude: z.number().describe('WGS 84 degrees. Of a region or country: those of its most important airport.'),
    longitude: z.number(),
    time_zone: z.string().describe('IANA name.'),
    airports: z
      .array(z.string())
      .describe(
        'IATA codes of the airports of a city or metropolitan area, the most important first. Of an airport: its own.',
      ),
  })
  .meta({ id: 'Place' });

/** Answer of GET /cars/places/v1: the best places, best first. */
export const placesAnswer = z
  .strictObject({ status: statusWire, places: z.array(placeWire).max(20) })
  .meta({ id: 'PlacesAnswer' });
