import { z } from 'zod';
import { statusWire } from '../status/status.wire.js';
import { locationWire } from '../suppliers/location.wire.js';

/** Answer of GET /cars/locations/v1/: at most three. */
export const locationsAnswer = z
  .strictObject({ status: statusWire, locations: z.array(locationWire).max(3) })
  .meta({ id: 'LocationsAnswer' });
