import { z } from 'zod';
import { commaList, countryCode, integer, localDateTime, queryBoolean, queryInteger, text } from '../http/fields.js';
import { currencyCode } from '../offers/currency-code.schema.js';
import { circleBody, circleQuery, namesPlaces } from './circle.schema.js';
import { factBody, factQuery } from './fact-filters.schema.js';

const sippPattern = z
  .string()
  .regex(/^[A-Za-z?]{4}$/, { error: 'must be four-letter SIPP codes, with ? for any letter, such as EC?R.' })
  .transform((code) => code.toUpperCase());
const decimal = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,4})?$/, { error: 'must be a positive decimal number, such as 250.00.' });
const transmission = z.enum(['manual', 'automatic'], { error: 'must be manual or automatic.' });
const fuel = z.enum(['petrol', 'diesel', 'hybrid', 'electric'], {
  error: 'must be petrol, diesel, hybrid or electric.',
});
const sortBy = z.enum(['price_total', 'price_due_now', 'distance', 'supplier'], {
  error: 'must be price_total, price_due_now, distance or supplier.',
});
const location = text(400);
const onlySupplier = text(31).optional().describe('Id of the only supplier to send it to. Default: all.');

const view = z
  .enum(['full', 'compact'], { error: 'must be full or compact.' })
  .default('full')
  .describe('compact: what offers have in common is written once, in tables that they refer to, in `compact`.');
const PAGE_SIZE = 'Keep the complete result and return it in pages of so many offers; links.next reads the next one.';

/** The fields of both GET and POST. */
const shared = {
  pickup_location: location
    .optional()
    .describe(
      "A loc_… id, IATA code, plc_… id, metropolitan code such as LON, or a supplier's own code together with one brand. Required unless pickup_latitude and pickup_longitude are given.",
    ),
  dropoff_location: location
    .optional()
    .describe('Same formats as pickup_location, but one location. Default: pickup_location.'),
  pickup_date: localDateTime.describe('Local time at the pickup location, without a time zone.'),
  dropoff_date: localDateTime.describe('Local time at the dropoff location, without a time zone.'),
  country_code: countryCode
    .optional()
    .describe("The driver's country of residence. Default: the pickup location's country."),
  currency: currencyCode
    .optional()
    .describe('Also return totals in this currency, as price.display; filter and sort by them.'),
  transmission: transmission.optional(),
  fuel: fuel.optional(),
  sort_by: sortBy.default('price_total'),
  view,
  price_max: decimal
    .optional()
    .describe('Maximum total, in `currency` if given, otherwise in the currency of each offer.'),
};

/** Query of GET /cars/catalog/v1/vehicles (spec §4.3, docs/model.md#offer). */
export const vehiclesQuery = z
  .strictObject({
    ...shared,
    ...circleQuery,
    ...factQuery,
    age: queryInteger(16, 99).default(35).describe('Age of the driver in years.'),
    brand: commaList(20).optional().describe('One brand or a comma-separated list; case-insensitive.'),
    vehicle_sipp_codes: commaList(20)
      .pipe(z.array(sippPattern))
      .optional()
      .describe('Comma-separated list of SIPP codes, with ? for any letter.'),
    seats_min: queryInteger(1, 20).optional(),
    unlimited_distance: queryBoolean.optional(),
    free_cancellation: queryBoolean.optional().describe('Only offers that are known to have free cancellation.'),
    max_results: queryInteger(1, 2_000).optional(),
    page_size: queryInteger(10, 200).optional().describe(PAGE_SIZE),
    timeout_ms: queryInteger(50, 60_000)
      .optional()
      .describe('Respond after this time with the results received so far.'),
    min_suppliers: queryInteger(0, 50)
      .optional()
      .describe('With timeout_ms: wait longer until this many suppliers have answered.'),
  })
  .check(namesPlaces);

/** Body of POST /cars/catalog/v1/vehicles: the same names as JSON, plus fields that must not appear in a URL. */
export const vehiclesBody = z
  .strictObject({
    ...shared,
    ...circleBody,
    ...factBody,
    age: integer(16, 99)
      .optional()
      .describe('Age of the driver in years. Default: calculated from date_of_birth, or 35.'),
    date_of_birth: z.iso.date({ error: 'must be a date, such as 1990-05-31.' }).optional(),
    brand: z
      .union([text(40).transform((brand) => [brand]), z.array(text(40)).min(1).max(20)], {
        error: 'must be a brand or a list of brands.',
      })
      .optional(),
    vehicle_sipp_codes: z.array(sippPattern).max(20).optional(),
    seats_min: integer(1, 20).optional(),
    unlimited_distance: z.boolean({ error: 'must be true or false.' }).optional(),
    free_cancellation: z.boolean({ error: 'must be true or false.' }).optional(),
    max_results: integer(1, 2_000).optional(),
    page_size: integer(10, 200).optional().describe(PAGE_SIZE),
    timeout_ms: integer(50, 60_000).optional(),
    min_suppliers: integer(0, 50).optional(),
    discount_codes: z
      .array(
        z.strictObject({
          type: z.enum(['corporate', 'promo', 'coupon', 'tour', 'iata'], {
            error: 'must be corporate, promo, coupon, tour or iata.',
          }),
          value: text(32),
          supplier: onlySupplier,
        }),
      )
      .max(5)
      .optional()
      .describe('rate.discounts_applied of an offer has the codes that its supplier applied.'),
    loyalty: z
      .array(z.strictObject({ program: text(32).optional(), number: text(40), supplier: onlySupplier }))
      .max(5)
      .optional()
      .describe(
        "Memberships of the driver. Each is sent only to suppliers that have its program; one without a program is sent only to its supplier. The response's request has them without their numbers.",
      ),
    additional_drivers: integer(0, 4).optional(),
  })
  .check(namesPlaces);

/** Query of GET /cars/catalog/v1/searches/{search_id}. */
export const pageQuery = z.strictObject({
  cursor: text(400).optional().describe('From links.next or links.prev of another page. Default: the first page.'),
  view,
});

/** How offers are written. */
export type View = z.output<typeof view>;
export type PageQuery = z.output<typeof pageQuery>;
export type VehiclesQuery = z.output<typeof vehiclesQuery>;
export type VehiclesBody = z.output<typeof vehiclesBody>;
