import { z } from 'zod';
import type { PolicyLimits } from '../store/limits.js';

const count = z.number().int().min(1);

const limitShape = { perMinute: count, burst: count, perDay: count.optional(), concurrent: count.optional() };
const limitSchema = z.strictObject(limitShape);

const tierSchema = z.strictObject({
  ...limitShape,
  account: limitSchema.optional(),
  token: limitSchema.optional(),
  bookings: z.strictObject({ perMinute: count, burst: count, perDay: count.optional() }).optional(),
});

/**
 * `config/tiers.yaml`: the limits of one application of each tier, with `token` for each of its access tokens. `account` limits all applications of an account of that tier together, and `bookings` their new reservations. Absent limits don't apply. `costs` maps a product id to what one of its calls counts in every limit (default 1).
 */
export const tiersSchema = z
  .object({ costs: z.record(z.string(), count).default({}) })
  .catchall(tierSchema)
  .transform(({ costs, ...tiers }) => ({ costs, tiers: new Map(Object.entries(tiers)) }));

/** The parsed file. */
export type Tiers = z.infer<typeof tiersSchema>;

/** The limits of an application of `tier` whose account is of `accountTier`. Throws an Error if a tier is unknown. */
export function limitsIn(tiers: Tiers, tier: string, accountTier: string): PolicyLimits {
  const { account: _ofAccounts, bookings: _ofTheirs, token, ...application } = tierIn(tiers, tier);
  const { account, bookings } = tierIn(tiers, accountTier);
  return { application, ...(account && { account }), ...(token && { token }), ...(bookings && { bookings }) };
}

function tierIn({ tiers }: Tiers, name: string): z.infer<typeof tierSchema> {
  const tier = tiers.get(name);
  if (!tier) throw new Error(`config/tiers.yaml has no tier "${name}"; it has ${[...tiers.keys()].join(', ')}`);
  return tier;
}

/** Ids of the products that routes belong to (config/products.yaml). */
export type ProductId =
  | 'car_location_keyword_search'
  | 'car_places'
  | 'car_availability'
  | 'car_reservation'
  | 'car_webhooks'
  | 'car_suppliers'
  | 'car_vehicles';
