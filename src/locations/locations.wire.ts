import { z } from 'zod';
import { locationWire } from '../representations/location.wire.js';
import { statusWire } from '../status/status.wire.js';

/** A location as the search shows it: since v1.1 with the offset of its clocks. */
export const foundLocationWire = z
  .strictObject({
    ...locationWire.shape,
    utc_offset: z
      .string()
      .regex(/^[+-]\d{2}:\d{2}$/)
      .optional()
      .describe(
        'What the clocks at the counter are ahead of UTC at request_time, ±hh:mm. Since v1.1: always there; not in v1.0.1.',
      ),
  })
  .meta({ id: 'FoundLocation' });

/** Answer of GET /cars/locations/v1/: at most three. */
export const locationsAnswer = z
  .strictObject({ status: statusWire, locations: z.array(foundLocationWire).max(3) })
  .meta({ id: 'LocationsAnswer' });
