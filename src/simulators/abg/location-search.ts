import type { Inventory, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { type AbgFailure, badRequest, failure, type Occasion, success } from './answers.js';
import { locationJson } from './location-writer.js';

/** The elements that ABG's contract allows, in its spelling; case-sensitive. */
export const ABG_BRANDS: readonly string[] = ['Avis', 'Budget', 'Payless'];

const MOST_PER_BRAND = 10;

const NOTHING_FOUND: AbgFailure = {
  status: 404,
  code: '609',
  reason: 'Location details are not found for the given search criteria.',
  details: 'No location of the brand matches the keyword.',
};

/** GET /cars/locations/v2/keyword: up to ten locations per brand, best first, for one brand or ALL. */
export function answerLocations(
  request: SimulatedRequest,
  inventories: Readonly<Record<string, Inventory>>,
  occasion: Occasion,
): SimulatedAnswer {
  const { query } = request;
  for (const name of ['brand', 'keyword', 'country_code']) {
    if (!query.get(name)) return failure(badRequest(`Required query parameter ${name} not specified`), occasion);
  }
  const brand = query.get('brand') ?? '';
  if (brand !== 'ALL' && !ABG_BRANDS.includes(brand))
    return failure(badRequest(`Invalid element <${brand}>`), occasion);
  if (request.directive.verb === 'empty') return failure(NOTHING_FOUND, occasion);

  const locations: object[] = [];
  for (const name of brand === 'ALL' ? ABG_BRANDS : [brand]) {
    const inventory = inventories[name];
    if (!inventory) continue;
    for (const location of findLocations(inventory, query.get('keyword') ?? '', query.get('country_code') ?? '')) {
      locations.push(locationJson(name, location));
    }
  }
  if (locations.length === 0) return failure(NOTHING_FOUND, occasion);
  return success('The locations were retrieved successfully.', { locations }, occasion);
}

/** country_code is the point of sale: it ranks its own locations first but does not hide the others. */
function findLocations(
  inventory: Inventory,
  keyword: string,
  countryCode: string,
): ReturnType<Inventory['findLocations']> {
  const near = inventory.findLocations(keyword, countryCode, MOST_PER_BRAND);
  return near.length > 0 ? near : inventory.findLocations(keyword, undefined, MOST_PER_BRAND);
}
