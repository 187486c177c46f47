import { z } from 'zod';
import { locationWire } from '../representations/location.wire.js';
import { statusWire } from '../status/status.wire.js';

/** A location in a search result; since v1.1 with its UTC offset. */
export const foundLocationWire = z
  .strictObject({
    ...locationWire.shape,
    utc_offset: z
      .string()
      .regex(/^[+-]\d{2}:\d{2}$/)
      .optional()
      .describe(
        'UTC offset of the local time at the location at request_time, ±hh:mm. Always present since v1.1; absent in v1.0.1.',
      ),
  })
  .meta({ id: 'FoundLocation' });

/** Answer of GET /cars/locations/v1/: at most three locations. */
export const locationsAnswer = z
  .strictObject({ status: statusWire, locations: z.array(foundLocationWire).max(3) })
  .meta({ id: 'LocationsAnswer' });
