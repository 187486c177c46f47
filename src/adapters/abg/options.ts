import { z } from 'zod';

const path = z.string().startsWith('/');

/** Secrets of an ABG application (developer portal, headers of the token call). Stage and production pairs differ. */
export const abgCredentials = z.object({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
});

/** Settings of the ABG dialect; every one has the default of Rental Cars API v2. Paths are on the supplier's base URL. */
export const abgOptions = z.strictObject({
  tokenPath: path.default('/oauth/token/v2'),
  locationsPath: path.default('/cars/locations/v2/keyword'),
  vehiclesPath: path.default('/cars/catalog/v2/vehicles'),
  ratesPath: path.default('/cars/catalog/v2/vehicles/rates'),
  reservationPath: path.default('/cars/reservation/v2'),
  partialModifyPath: path.default('/cars/reservation/v2/partial-modify'),
  /** `all_at_once`: the keyword search for every configured brand goes out as one call with brand ALL; `one_a_call`: never ALL. */
  locationBrands: z.enum(['all_at_once', 'one_a_call']).default('all_at_once'),
  /** country_code of a keyword search that names none: the contract calls it optional, its own 400 example demands it. */
  fallbackCountryCode: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .default('US'),
});

/** The validated settings. */
export type AbgOptions = z.infer<typeof abgOptions>;
