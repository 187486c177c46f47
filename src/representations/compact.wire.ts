import { z } from 'zod';
import { locationSummaryWire } from './location.wire.js';
import { moneyWire, offerWire, priceWire } from './offers.wire.js';

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
/** An amount in the currency of the total, or in another one. */
const amount = z.union([decimal, moneyWire]).describe("Decimal text in the price's currency; an object in another.");
const index = (table: string) => z.int().min(0).describe(`Index in \`${table}\`.`);

const { supplier, brand, status, rental_days, fuel_policy, ...offer } = offerWire.shape;
const { shape: price } = priceWire;
const { amount: _amount, ...item } = price.items.element.shape;
const { amount: _total, due_now: _now, due_at_counter: _later, ...display } = price.display.unwrap().shape;

const stay = z
  .strictObject({ location: index('locations'), date: offer.pickup.shape.date, date_utc: offer.pickup.shape.date_utc })
  .meta({ id: 'CompactStay' });

/** What offers have in common, once each. Offers refer to it by its index. */
const tables = {
  locations: z.array(locationSummaryWire),
  stays: z.array(stay).describe('Of pickups and dropoffs.'),
  commons: z.array(z.strictObject({ supplier, brand, status, rental_days, fuel_policy })),
  expiries: z.array(offer.expires_at),
  vehicles: z.array(offer.vehicle),
  rates: z.array(offer.rate),
  items: z
    .array(z.strictObject({ ...item, currency: moneyWire.shape.currency }))
    .describe('price.items without amount.'),
  displays: z.array(z.strictObject(display)).describe('price.display without its amounts.'),
  distance_policies: z.array(offer.distance_policy),
  coverages: z.array(offer.coverages.element),
  extras: z.array(offer.extras.element),
  deposits: z.array(offer.deposit.unwrap()),
  cancellations: z.array(offer.cancellation),
  requirements: z.array(offer.requirements),
  terms: z.array(offer.terms.element),
};

const compactPrice = z
  .strictObject({
    ...price,
    currency: moneyWire.shape.currency,
    total: decimal,
    base: amount.optional(),
    taxes: amount.optional(),
    fees: amount.optional(),
    one_way: amount.optional(),
    extras: amount.optional(),
    coverages: amount.optional(),
    discount: amount.optional(),
    due_now: amount,
    due_at_counter: amount,
    items: z
      .array(z.tuple([index('items'), decimal]).meta({ items: {}, minItems: 2, maxItems: 2 }))
      .describe('Index in `items`, and the amount in the currency that is there.'),
    unitemised: amount.optional(),
    display: z
      .strictObject({
        display: index('displays'),
        amount: decimal,
        due_now: amount.optional(),
        due_at_counter: amount.optional(),
      })
      .optional()
      .describe('Its amounts are in the currency of `displays`.'),
  })
  .meta({ id: 'CompactPrice' });

/** Members without a table are those of an offer. */
const compactOffer = z
  .strictObject({
    ...offer,
    common: index('commons'),
    expires_at: index('expiries'),
    vehicle: index('vehicles'),
    pickup: index('stays'),
    dropoff: index('stays'),
    rate: index('rates'),
    price: compactPrice,
    distance_policy: index('distance_policies'),
    coverages: z.array(index('coverages')),
    extras: z.array(index('extras')),
    deposit: index('deposits').optional(),
    cancellation: index('cancellations'),
    requirements: index('requirements'),
    terms: z.array(index('terms')),
  })
  .meta({ id: 'CompactOffer' });

/** Offers with their common content in tables (docs/searching.md#compact). */
export const compactWire = z
  .strictObject({ ...tables, offers: z.array(compactOffer) })
  .describe('With `view=compact`: the offers of the answer, instead of `vehicles`, which is empty then.')
  .meta({ id: 'CompactOffers' });
