import { z } from 'zod';

const path = z.string().startsWith('/');

/**
 * Credentials of an ABG application (developer portal; headers of the token call). Stage and production have different
 * pairs.
 */
export const abgCredentials = z.object({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
});

/**
 * Settings of the ABG dialect, all with the defaults of Rental Cars API v2. Paths are relative to the supplier's base
 * URL.
 */
export const abgOptions = z.strictObject({
  tokenPath: path.default('/oauth/token/v2'),
  locationsPath: path.default('/cars/locations/v2/keyword'),
  vehiclesPath: path.default('/cars/catalog/v2/vehicles'),
  ratesPath: path.default('/cars/catalog/v2/vehicles/rates'),
  reservationPath: path.default('/cars/reservation/v2'),
  partialModifyPath: path.default('/cars/reservation/v2/partial-modify'),
  /**
   * `all_at_once`: one keyword search with brand ALL for all configured brands; `one_a_call`: one search per brand,
   * never ALL.
   */
  locationBrands: z.enum(['all_at_once', 'one_a_call']).default('all_at_once'),
  /**
   * country_code of a keyword search without one: the contract calls it optional, but its own 400 example requires it.
   */
  fallbackCountryCode: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a country code of two uppercase letters, such as US')
    .default('US'),
});

/** The validated settings. */
export type AbgOptions = z.infer<typeof abgOptions>;
