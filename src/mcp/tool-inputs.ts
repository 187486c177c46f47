import { z } from 'zod';

const id = z.string().min(1).max(6_000);
const short = z.string().min(1).max(80);
const total = {
  total: z.string().max(20).describe('The exact price.total.amount that the price tool returned, such as "150.84".'),
  currency: z.string().length(3).describe('The price.total.currency that the price tool returned.'),
};
const choices = {
  extras: z
    .array(z.strictObject({ extra_id: short, quantity: z.int().min(1).max(9).optional() }))
    .max(20)
    .optional()
    .describe('Extras of the offer, by extra_id.'),
  coverages: z.array(short).max(20).optional().describe('Codes of coverages of the offer.'),
};
const reservation = {
  reservation_id: z
    .string()
    .regex(/^res_[\w-]{1,60}$/)
    .describe('From book.'),
};
const etag = z.string().max(100).optional().describe('The etag of read_reservation: refuses if it changed since.');

/** Arguments of the tools. What they allow, the operations check again, with their own messages. */
export const INPUTS = {
  find_place: z.strictObject({
    keyword: short.describe('A city, airport, station, postal code, or IATA code, in any language.'),
    country_code: z.string().length(2).optional().describe('Only places in this country, ISO 3166-1 alpha-2.'),
  }),
  search: z.strictObject({
    pickup_location: z
      .string()
      .max(400)
      .optional()
      .describe('place_id of find_place or an IATA code. Required for a new search.'),
    dropoff_location: z.string().max(400).optional().describe('Default: pickup_location.'),
    pickup_date: z
      .string()
      .max(30)
      .optional()
      .describe('Local time such as 2027-05-01T10:00:00. Required for a new search.'),
    dropoff_date: z.string().max(30).optional().describe('Local time. Required for a new search.'),
    age: z.int().optional().describe('Age of the driver in years. Default: 35.'),
    country_code: z.string().length(2).optional().describe("The driver's country of residence."),
    currency: z.string().length(3).optional().describe('Also shows totals in this currency, as price.display.'),
    transmission: z.enum(['manual', 'automatic']).optional(),
    fuel: z.enum(['petrol', 'diesel', 'hybrid', 'electric']).optional(),
    seats_min: z.int().optional(),
    price_max: z.string().max(20).optional().describe('Decimal text, such as "250.00".'),
    free_cancellation: z.boolean().optional(),
    sort_by: z.enum(['price_total', 'price_due_now', 'distance', 'supplier']).optional(),
    more: z
      .strictObject({
        search_id: short,
        cursor: z.string().max(400).optional(),
        from: z.int().min(0).max(20).optional(),
      })
      .optional()
      .describe('`more` of an earlier answer, unchanged and alone: the next offers of that search.'),
  }),
  price: z.strictObject({
    offer_id: id.optional().describe('From search. Send either this or quote_id.'),
    quote_id: id.optional().describe('From an earlier price.'),
    ...choices,
    age: z.int().optional(),
    currency: z.string().length(3).optional(),
  }),
  book: z.strictObject({
    quote_id: id.describe('From price. The user must have confirmed its total.'),
    ...total,
    driver: z.strictObject({
      first_name: short,
      last_name: short,
      email: z.string().min(3).max(254),
      phone: z.string().max(40).optional(),
      age: z.int().optional(),
    }),
    arrival: z
      .strictObject({
        carrier_code: z.string().max(3),
        flight_number: z.string().max(5),
        arrives_at: z.string().max(30).optional(),
      })
      .optional(),
    client_reference: z.string().max(64).optional().describe('Your own reference, without personal data.'),
  }),
  read_reservation: z.strictObject(reservation),
  change_reservation: z.strictObject({
    ...reservation,
    etag,
    driver: z
      .strictObject({ email: z.string().max(254).optional(), phone: z.string().max(40).nullable().optional() })
      .optional(),
    arrival: z
      .strictObject({
        carrier_code: z.string().max(3),
        flight_number: z.string().max(5),
        arrives_at: z.string().max(30).optional(),
      })
      .nullable()
      .optional(),
    ...choices,
    quote_id: id.optional().describe('Replaces the rental by this quote; needs total and currency, excludes driver.'),
    total: total.total.optional(),
    currency: total.currency.optional(),
  }),
  cancel_reservation: z.strictObject({ ...reservation, etag }),
  why_missing: z.strictObject({
    search_id: z
      .string()
      .regex(/^sea_[\w-]{1,40}$/)
      .describe('From search.'),
    supplier: z.string().max(40).optional().describe('Only this supplier.'),
  }),
} as const;

/** The names of the tools. */
export type ToolName = keyof typeof INPUTS;
/** The checked arguments of a tool. */
export type Arguments<N extends ToolName> = z.output<(typeof INPUTS)[N]>;
