import { z } from 'zod';
import { locationWire } from '../representations/location.wire.js';
import { statusWire } from '../status/status.wire.js';

const utcOffsetWire = z.string().regex(/^[+-]\d{2}:\d{2}$/);

/** One location with everything that is known of it. */
export const locationDetailsWire = z
  .strictObject({
    ...locationWire.shape,
    utc_offset: utcOffsetWire.describe('UTC offset of the local time at the location at request_time, ±hh:mm.'),
    driver_age: z
      .strictObject({ min: z.number().int().optional(), max: z.number().int().optional() })
      .optional()
      .describe('The ages of drivers to which the location rents, if the supplier states them.'),
  })
  .meta({ id: 'LocationDetails' });

/** Answer of GET /cars/locations/v1/{location_id}. */
export const locationAnswer = z
  .strictObject({ status: statusWire, location: locationDetailsWire })
  .meta({ id: 'LocationAnswer' });

/** Another location at the place of a result. */
export const samePlaceWire = z
  .strictObject({
    location_id: z.string(),
    supplier: z.string(),
    brand: z.string(),
    name: z.string(),
    counter: locationWire.shape.counter,
  })
  .meta({ id: 'SamePlaceLocation' });

/** A location in a search result; since v1.1 with its UTC offset. */
export const foundLocationWire = z
  .strictObject({
    ...locationWire.shape,
    utc_offset: utcOffsetWire
      .optional()
      .describe(
        'UTC offset of the local time at the location at request_time, ±hh:mm. Always present since v1.1; absent in v1.0.1.',
      ),
    same_place: z
      .array(samePlaceWire)
      .max(20)
      .optional()
      .describe('The other locations at the same airport, best first. Always present since v1.2; absent before.'),
  })
  .meta({ id: 'FoundLocation' });

/** Answer of GET /cars/locations/v1/: at most three locations. */
export const locationsAnswer = z
  .strictObject({ status: statusWire, locations: z.array(foundLocationWire).max(3) })
  .meta({ id: 'LocationsAnswer' });
