import { z } from 'zod';
import { commaList, integer, localDateTime, queryBoolean, queryInteger, text } from '../http/fields.js';
import { SIPP_CATEGORIES } from '../model/acriss.js';
import type { Counter } from '../model/locations.js';
import type { PaymentType } from '../model/offers.js';

const PAYMENTS = ['pay_now', 'pay_later', 'pay_partial', 'guarantee', 'voucher'] as const satisfies PaymentType[];
const COUNTERS = [
  'in_terminal',
  'shuttle_on_airport',
  'shuttle_off_airport',
  'meet_and_greet',
  'rental_center',
  'other',
] as const satisfies Counter[];

/** What facets can count, in the order of the response. */
export const FACETS = [
  'price',
  'supplier',
  'brand',
  'category',
  'transmission',
  'fuel',
  'electric_range',
  'air_conditioning',
  'seats',
  'doors',
  'bags_large',
  'bags_small',
  'payment',
  'unlimited_distance',
  'free_cancellation',
  'counter',
] as const;

export type FacetName = (typeof FACETS)[number];

const facetName = oneOf([...FACETS, 'true']);
const category = oneOf(SIPP_CATEGORIES);
const payment = oneOf(PAYMENTS);
const counter = oneOf(COUNTERS);

/** Filters on facts of an offer, and facets; the same in queries and bodies. */
const shared = {
  electric_range: oneOf(['standard', 'long'])
    .optional()
    .describe('Only electric cars, of the SIPP codes for a range below (standard) or from 400 km (long).'),
  free_cancellation_until: localDateTime
    .optional()
    .describe('Only offers known to be free to cancel until then or later; local time at the pickup location.'),
  group_by: oneOf(['car'])
    .optional()
    .describe(
      'Return the same car of several suppliers as one entry of groups, with its cheapest offer first; vehicles is then empty.',
    ),
};
const described = {
  air_conditioning: 'Only cars that are known to have air conditioning.',
  doors_min: 'Least number of doors. A range counts with its lower number.',
  bags_large_min: 'Least number of large bags.',
  bags_small_min: 'Least number of small bags.',
  category: 'Categories of SIPP codes.',
  payment: 'Payment types.',
  counter: 'Types of the pickup counter.',
  supplier: 'Ids of the only suppliers to call. Default: all.',
  distance_included_min_km: 'Least included distance of the complete rental. Unlimited distance always matches.',
  facets: 'Count offers by these properties in facets: a list of names, or true for all of them.',
};

/** For the query of GET /cars/catalog/v1/vehicles. */
export const factQuery = {
  ...shared,
  air_conditioning: queryBoolean.optional().describe(described.air_conditioning),
  doors_min: queryInteger(1, 9).optional().describe(described.doors_min),
  bags_large_min: queryInteger(1, 20).optional().describe(described.bags_large_min),
  bags_small_min: queryInteger(1, 20).optional().describe(described.bags_small_min),
  category: commaList(20).pipe(z.array(category)).optional().describe(listOf(described.category, SIPP_CATEGORIES)),
  payment: commaList(20).pipe(z.array(payment)).optional().describe(listOf(described.payment, PAYMENTS)),
  counter: commaList(20).pipe(z.array(counter)).optional().describe(listOf(described.counter, COUNTERS)),
  supplier: commaList(20).optional().describe(`${described.supplier} Comma-separated.`),
  distance_included_min_km: queryInteger(1, 100_000).optional().describe(described.distance_included_min_km),
  facets: commaList(20).pipe(z.array(facetName)).optional().describe(listOf(described.facets, FACETS)),
};

/** For the body of POST /cars/catalog/v1/vehicles. */
export const factBody = {
  ...shared,
  air_conditioning: z.boolean({ error: 'must be true or false.' }).optional().describe(described.air_conditioning),
  doors_min: integer(1, 9).optional().describe(described.doors_min),
  bags_large_min: integer(1, 20).optional().describe(described.bags_large_min),
  bags_small_min: integer(1, 20).optional().describe(described.bags_small_min),
  category: z.array(category).min(1).max(20).optional().describe(described.category),
  payment: z.array(payment).min(1).max(20).optional().describe(described.payment),
  counter: z.array(counter).min(1).max(20).optional().describe(described.counter),
  supplier: z.array(text(31)).min(1).max(20).optional().describe(described.supplier),
  distance_included_min_km: integer(1, 100_000).optional().describe(described.distance_included_min_km),
  facets: z
    .union([z.literal(true).transform(() => ['true' as const]), z.array(facetName).min(1).max(20)], {
      error: `must be true or a list of ${FACETS.join(', ')}.`,
    })
    .optional()
    .describe(described.facets),
};

function oneOf<const T extends readonly string[]>(values: T) {
  const words = values.length === 1 ? '' : 'one of ';
  return z.enum(values, { error: `must be ${words}${values.join(', ')}.` });
}

function listOf(description: string, values: readonly string[]): string {
  return `${description} Comma-separated: ${values.join(', ')}.`;
}
