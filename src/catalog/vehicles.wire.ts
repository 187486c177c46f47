import { z } from 'zod';
import { statusWire } from '../status/status.wire.js';
import { locationSummaryWire } from '../suppliers/location.wire.js';

const money = z
  .strictObject({ amount: z.string().regex(/^-?\d+(\.\d+)?$/), currency: z.string().regex(/^[A-Z]{3}$/) })
  .describe("Decimal text with the currency's digits.")
  .meta({ id: 'Money' });
const localDateTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/)
  .describe('Local wall clock, no zone.');
const distance = z.strictObject({ value: z.number(), unit: z.enum(['km', 'mi']) });
const stay = z.strictObject({ location: locationSummaryWire, date: localDateTime, date_utc: z.string().regex(/Z$/) }).meta({ id: 'Stay' });

const vehicle = z
  .strictObject({
    sipp_code: z.string().optional(),
    sipp: z
      .strictObject({
        category: z.string().nullable(),
        type: z.string().nullable(),
        transmission: z.string().nullable(),
        drive: z.string().nullable(),
        fuel: z.string().nullable(),
        air_conditioning: z.boolean().nullable(),
      })
      .optional()
      .describe('sipp_code read letter by letter; null = a letter the table lacks or that leaves it open.'),
    name: z.string(),
    make: z.string().optional(),
    model: z.string().optional(),
    or_similar: z.boolean(),
    class_code: z.string().optional(),
    class_name: z.string().optional(),
    seats: z.int().optional(),
    doors: z.union([z.int(), z.string()]).optional(),
    bags_large: z.int().optional(),
    bags_small: z.int().optional(),
    image_url: z.string().optional(),
    transmission: z.enum(['manual', 'automatic']).optional().describe("The supplier's own word; may contradict sipp_code."),
    air_conditioning: z.boolean().optional(),
    fuel: z.string().optional(),
  })
  .meta({ id: 'Vehicle' });

const price = z
  .strictObject({
    total: money.describe("The supplier's own total of the whole rental, never recomputed."),
    base: money.optional(),
    taxes: money.optional(),
    fees: money.optional(),
    one_way: money.optional(),
    extras: money.optional(),
    coverages: money.optional(),
    discount: money.optional(),
    due_now: money,
    due_at_counter: money,
    items: z.array(
      z.strictObject({
        kind: z.string(),
        code: z.string().optional(),
        description: z.string(),
        amount: money,
        unit: z.enum(['rental', 'day', 'week', 'hour', 'percent']),
        quantity: z.number(),
        mandatory: z.boolean(),
        included_in_total: z.boolean(),
        payable: z.enum(['now', 'counter']),
      }),
    ),
    unitemised: money.optional().describe('What the items do not explain of the total.'),
    display: money.optional().describe('The total in the currency asked for, when the supplier gave it.'),
  })
  .meta({ id: 'Price' });

export const offerWire = z
  .strictObject({
    offer_id: z.string().describe('Opaque; valid until expires_at, for your application.'),
    supplier: z.string(),
    brand: z.string(),
    status: z.enum(['available', 'on_request']),
    expires_at: z.iso.datetime(),
    vehicle,
    pickup: stay,
    dropoff: stay,
    rate: z.strictObject({
      code: z.string().optional(),
      type: z.string().optional(),
      payment: z.enum(['pay_now', 'pay_later', 'pay_partial', 'guarantee', 'voucher']),
      inclusive: z.boolean(),
      discounts_applied: z.array(z.string()),
    }),
    price,
    rental_days: z.int(),
    distance_policy: z.array(
      z.strictObject({
        unlimited: z.boolean(),
        included: distance.optional(),
        per: z.enum(['rental', 'day', 'week', 'month', 'hour']).optional(),
        overage: money.optional(),
      }),
    ),
    fuel_policy: z.enum(['full_to_full', 'full_to_empty', 'prepaid', 'same_to_same', 'electric', 'unknown']),
    coverages: z.array(
      z.strictObject({
        code: z.string(),
        type: z.string(),
        name: z.string(),
        included: z.boolean(),
        mandatory: z.boolean(),
        price_per_day: money.optional(),
        price_total: money.optional(),
        excess: money.optional(),
      }),
    ),
    extras: z.array(
      z.strictObject({
        extra_id: z.string(),
        type: z.string(),
        code: z.string(),
        name: z.string(),
        price_per_day: money.optional(),
        price_total: money.optional(),
        max_quantity: z.int(),
        mandatory: z.boolean(),
      }),
    ),
    deposit: z.strictObject({ amount: money, taken_at: z.enum(['booking', 'pickup']).optional() }).optional(),
    cancellation: z.strictObject({
      source: z.enum(['structured', 'text', 'unknown']),
      refundable: z.boolean().optional(),
      free_until: localDateTime.optional(),
      rules: z.array(
        z.strictObject({
          from: localDateTime.optional(),
          until: localDateTime.optional(),
          fee: money.optional(),
          percent: z.string().optional(),
          text: z.string().optional(),
        }),
      ),
      no_show_fee: money.optional(),
    }),
    requirements: z.strictObject({
      min_age: z.int().optional(),
      max_age: z.int().optional(),
      young_driver_fee: money.optional(),
      flight_required: z.boolean().optional(),
      credit_card_required: z.boolean().optional(),
    }),
    terms: z.array(z.strictObject({ kind: z.string(), url: z.string().optional(), text: z.string().optional() })),
    dedupe_group: z.string().describe('Equal for offers of one place, car class and way to pay: group by it, keep the cheapest.'),
  })
  .meta({ id: 'Offer' });

const supplierRow = z.strictObject({
  supplier: z.string(),
  outcome: z.enum(['answered', 'empty', 'failed', 'skipped']),
  cause: z.string().optional(),
  offers: z.int().describe('Offers that pass the filters, before max_results.'),
  filtered: z.int().optional().describe('Offers of a supplier without results that the filters took away.'),
  duration_ms: z.number(),
  shared: z.boolean().optional().describe('The call was shared with an identical search under way.'),
});

/** Answer of GET and POST /cars/catalog/v1/vehicles. */
export const vehiclesAnswer = z
  .strictObject({
    status: statusWire,
    search_id: z.string(),
    request: z.looseObject({}).describe('The search as understood, defaults filled in.'),
    vehicles: z.array(offerWire),
    vehicles_found: z.int().describe('Offers that pass the filters; more than vehicles holds when max_results cuts.'),
    suppliers: z.array(supplierRow),
  })
  .meta({ id: 'VehiclesAnswer' });
