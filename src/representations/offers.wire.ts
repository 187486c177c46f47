import { z } from 'zod';
import { locationSummaryWire } from './location.wire.js';

/** An amount of money (docs/model.md#conventions). */
export const moneyWire = z
  .strictObject({ amount: z.string().regex(/^-?\d+(\.\d+)?$/), currency: z.string().regex(/^[A-Z]{3}$/) })
  .describe("Decimal text with the currency's number of decimals.")
  .meta({ id: 'Money' });
/** Local time at a location, without a zone. */
export const localDateTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/)
  .describe('Local time at the location, without a time zone.');
const distance = z.strictObject({ value: z.number(), unit: z.enum(['km', 'mi']) });
const stay = z
  .strictObject({ location: locationSummaryWire, date: localDateTime, date_utc: z.string().regex(/Z$/) })
  .meta({ id: 'Stay' });

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
      .describe('The decoded sipp_code; null if a letter is unknown or ambiguous.'),
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
    transmission: z
      .enum(['manual', 'automatic'])
      .optional()
      .describe('As stated by the supplier; may contradict sipp_code.'),
    air_conditioning: z.boolean().optional(),
    fuel: z.string().optional(),
  })
  .meta({ id: 'Vehicle' });

/** A total in another currency, for show (docs/pricing.md#display-prices). */
const displayWire = z
  .strictObject({
    ...moneyWire.shape,
    due_now: moneyWire.optional().describe('The part that is due now. due_now + due_at_counter = amount.'),
    due_at_counter: moneyWire.optional(),
    rate: z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .optional()
      .describe(
        "Units of this currency for one unit of the total's currency: amount = total × rate, rounded half up. Absent if the supplier converted.",
      ),
    as_of: z.iso.date().optional().describe('The day of the rate.'),
    source: z
      .string()
      .describe(
        'Publisher of the rate, `supplier` if the supplier converted its total itself, or `none` if the total is in this currency.',
      ),
    stale: z.boolean().optional().describe('true if the rate was older than the gateway allows.'),
  })
  .describe('For show only: the supplier charges the total, and its own bank or card may use another rate.')
  .meta({ id: 'DisplayPrice' });

/** The price of an offer. */
export const priceWire = z
  .strictObject({
    total: moneyWire.describe("The supplier's total for the complete rental, never recomputed."),
    base: moneyWire.optional(),
    taxes: moneyWire.optional(),
    fees: moneyWire.optional(),
    one_way: moneyWire.optional(),
    extras: moneyWire.optional(),
    coverages: moneyWire.optional(),
    discount: moneyWire.optional(),
    due_now: moneyWire,
    due_at_counter: moneyWire,
    items: z
      .array(
        z.strictObject({
          kind: z.string(),
          code: z.string().optional(),
          description: z.string(),
          amount: moneyWire,
          unit: z.enum(['rental', 'day', 'week', 'hour', 'percent']),
          quantity: z.number(),
          mandatory: z.boolean(),
          included_in_total: z.boolean(),
          payable: z.enum(['now', 'counter']),
        }),
      )
      .describe(
        "Amounts that are included_in_total are in the total's currency; others may be in that of the counter.",
      ),
    unitemised: moneyWire.optional().describe('The part of the total that the items do not explain.'),
    display: displayWire
      .optional()
      .describe('The total in the requested currency. Absent without `currency`, or if no exchange rate is known.'),
  })
  .meta({ id: 'Price' });

/** The rental in an offer or a reservation: an offer without id and expiry. */
export const rentalWire = z.strictObject({
  supplier: z.string(),
  brand: z.string(),
  status: z.enum(['available', 'on_request']),
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
  price: priceWire,
  rental_days: z.int(),
  distance_policy: z.array(
    z.strictObject({
      unlimited: z.boolean(),
      included: distance.optional(),
      per: z.enum(['rental', 'day', 'week', 'month', 'hour']).optional(),
      overage: moneyWire.optional(),
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
      price_per_day: moneyWire.optional(),
      price_total: moneyWire.optional(),
      excess: moneyWire.optional(),
    }),
  ),
  extras: z.array(
    z.strictObject({
      extra_id: z.string(),
      type: z.string(),
      code: z.string(),
      name: z.string(),
      price_per_day: moneyWire.optional(),
      price_total: moneyWire.optional(),
      max_quantity: z.int(),
      mandatory: z.boolean(),
    }),
  ),
  deposit: z.strictObject({ amount: moneyWire, taken_at: z.enum(['booking', 'pickup']).optional() }).optional(),
  cancellation: z.strictObject({
    source: z.enum(['structured', 'text', 'unknown']),
    refundable: z.boolean().optional(),
    free_until: localDateTime.optional(),
    rules: z.array(
      z.strictObject({
        from: localDateTime.optional(),
        until: localDateTime.optional(),
        fee: moneyWire.optional(),
        percent: z.string().optional(),
        text: z.string().optional(),
      }),
    ),
    no_show_fee: moneyWire.optional(),
    no_show: z
      .strictObject({
        cancel_by: localDateTime.optional(),
        grace_until: localDateTime.optional(),
        text: z.string().optional(),
      })
      .optional()
      .describe('Until when to cancel without the no-show fee, and how long the car is kept.'),
  }),
  change_policy: z
    .strictObject({
      allowed: z.boolean().optional().describe('Whether a booking of this offer can be changed.'),
      penalty: z.boolean().optional().describe('Whether a change costs a fee.'),
    })
    .optional()
    .describe('What the supplier states about changing the booking later. Absent if it states nothing.'),
  requirements: z.strictObject({
    min_age: z.int().optional(),
    max_age: z.int().optional(),
    young_driver_fee: moneyWire.optional(),
    flight_required: z.boolean().optional(),
    credit_card_required: z.boolean().optional().describe('Whether booking needs a card as guarantee.'),
    accepted_cards: z.array(z.string()).optional().describe('visa, mastercard, american_express, … or other.'),
  }),
  terms: z.array(z.strictObject({ kind: z.string(), url: z.string().optional(), text: z.string().optional() })),
  dedupe_group: z
    .string()
    .describe(
      'The same for offers with the same place, car class and payment type. Group by it and keep the cheapest.',
    ),
});

/** One vehicle at one rate of one supplier (docs/model.md#offer). */
export const offerWire = z
  .strictObject({
    offer_id: z.string().describe('Opaque id, valid until expires_at and only for your application.'),
    expires_at: z.iso.datetime(),
    ...rentalWire.shape,
  })
  .meta({ id: 'Offer' });

/** The chosen extras and coverages of a quote or reservation. */
export const chosenShape = {
  selected_extras: z.array(
    z.strictObject({
      extra_id: z.string(),
      quantity: z.int(),
      name: z.string(),
      price_total: moneyWire.optional().describe('For the full quantity and the complete rental.'),
    }),
  ),
  selected_coverages: z.array(
    z.strictObject({ code: z.string(), name: z.string(), price_total: moneyWire.optional() }),
  ),
};
