import { z } from 'zod';

const clock = z.string().regex(/^\d{2}:\d{2}$/);

/** The part of a location that an offer contains. */
export const locationSummaryWire = z
  .strictObject({
    location_id: z.string().describe('Opaque id; use it as pickup_location.'),
    supplier: z.string(),
    brand: z.string(),
    code: z.string(),
    code_context: z.enum(['iata', 'oag', 'supplier']),
    iata_code: z.string().optional(),
    place_id: z.string().optional().describe('The same for all suppliers at one airport.'),
    name: z.string(),
    type: z.enum(['airport', 'downtown', 'rail', 'port', 'hotel', 'dealer', 'other']),
    counter: z
      .enum(['in_terminal', 'shuttle_on_airport', 'shuttle_off_airport', 'meet_and_greet', 'rental_center', 'other'])
      .optional(),
    address: z.strictObject({
      lines: z.array(z.string()),
      city: z.string().optional(),
      region: z.string().optional(),
      postal_code: z.string().optional(),
      country_code: z.string(),
    }),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
    time_zone: z.string().describe('IANA name.'),
    time_zone_estimated: z
      .boolean()
      .optional()
      .describe(
        'True if the supplier states neither the airport nor the position, and the country has several time zones: `time_zone`, `utc_offset` and `date_utc` are those of the most likely one.',
      ),
    phone: z.string().optional().describe('In E.164 format if the supplier’s text can be parsed.'),
  })
  .meta({ id: 'LocationSummary' });

/** A location in a response (docs/model.md#location). */
export const locationWire = z
  .strictObject({
    ...locationSummaryWire.shape,
    opening_hours: z.array(
      z.strictObject({ day: z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), open: clock, close: clock }),
    ),
    special_hours: z.array(
      z.strictObject({
        name: z.string().optional(),
        from: z.string().optional(),
        to: z.string().optional(),
        slots: z.array(z.strictObject({ open: clock, close: clock })),
      }),
    ),
    after_hours_return: z.boolean().optional(),
    services: z.array(z.string()),
    distance_from_search: z.strictObject({ value: z.number(), unit: z.enum(['km', 'mi']) }).optional(),
  })
  .meta({ id: 'Location' });
