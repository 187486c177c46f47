import type { Inventory, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { type AbgFailure, badRequest, failure, type Occasion, success } from './answers.js';
import { locationJson } from './location-writer.js';

/** The elements ABG's contract allows, in its own spelling; case counts. */
export const ABG_BRANDS: readonly string[] = ['Avis', 'Budget', 'Payless'];

const MOST_PER_BRAND = 10;

const NOTHING_FOUND: AbgFailure = {
  status: 404,
  code: '609',
  reason: 'Location details are not found for the given search criteria.',
  details: 'No location of the brand answers to the keyword.',
};

/** GET /cars/locations/v2/keyword: up to ten counters a brand, best first, for one brand or ALL. */
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
    for (const counter of findCounters(inventory, query.get('keyword') ?? '', query.get('country_code') ?? '')) {
      locations.push(locationJson(name, counter));
    }
  }
  if (locations.length === 0) return failure(NOTHING_FOUND, occasion);
  return success('The locations were retrieved successfully.', { locations }, occasion);
}

/** country_code is the point of sale: it says which counters come first to mind, it does not hide the others. */
function findCounters(
  inventory: Inventory,
  keyword: string,
  countryCode: string,
): ReturnType<Inventory['findCounters']> {
  const near = inventory.findCounters(keyword, countryCode, MOST_PER_BRAND);
  return near.length > 0 ? near : inventory.findCounters(keyword, undefined, MOST_PER_BRAND);
}
