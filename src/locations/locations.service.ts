import { Injectable } from '@nestjs/common';
import { airports, distanceKm } from '../places/places.js';
import { LocationFactsCache, type LocationView, locationView } from '../representations/location-view.js';
import { isMagicPlace, MAGIC_COUNTRY } from '../sandbox/magic-places.js';
import type { Scenario } from '../sandbox/scenario.js';
import type { Problem } from '../status/api-error.js';
import { merge } from '../suppliers/merge.js';
import { foldCalls } from '../suppliers/outcome.js';
import { type CallScope, SupplierSearch } from '../suppliers/supplier-search.js';
import { correctKeyword } from './correct-keyword.js';
import type { LocationsQuery } from './locations.schema.js';
import { type Candidate, rank } from './rank.js';

const TOP = 3;
const DEFAULT_RADIUS_KM = 50;

/** What a location search found: at most three counters, entries of what is missing, ids of skipped suppliers. */
export interface FoundLocations {
  readonly partial: boolean;
  readonly problems: readonly Problem[];
  readonly locations: readonly LocationView[];
  readonly skipped: readonly string[];
}

/** Keyword and proximity search over all suppliers (spec §4.2). */
@Injectable()
export class LocationsService {
  constructor(
    private readonly suppliers: SupplierSearch,
    private readonly facts: LocationFactsCache,
  ) {}

  /** Throws ApiError 404 when nobody has a counter, 500 when every supplier failed. `brands` are as configured; undefined = all. */
  async find(
    query: LocationsQuery,
    brands: readonly string[] | undefined,
    scenario: Scenario | undefined,
    scope: CallScope,
  ): Promise<FoundLocations> {
    const near =
      query.latitude === undefined || query.longitude === undefined
        ? undefined
        : { latitude: query.latitude, longitude: query.longitude, radiusKm: query.radius_km ?? DEFAULT_RADIUS_KM };
    const keyword = query.keyword === undefined ? (near ? nearestCity(near) : undefined) : magicOr(query.keyword);
    const plan = this.suppliers.planLocations(
      { brands, countryCode: query.country_code, scenario, scope },
      {
        ...(keyword === undefined ? {} : { keyword }),
        ...(query.country_code === undefined || query.country_code === MAGIC_COUNTRY
          ? {}
          : { countryCode: query.country_code }),
        ...(near && keyword === undefined ? { near } : {}),
      },
    );
    const wanted = query.keyword === undefined ? undefined : keyword;
    const places = new Map(plan.calls.map(({ supplier }, index) => [supplier.id, index]));
    const best = new Map<string, readonly Candidate[]>();
    const outcomes = await this.suppliers.collect(plan, { minSuppliers: 0 }, scope, (outcome) => {
      if (outcome.kind !== 'answered') return outcome;
      const supplier = outcome.supplier.id;
      const supplierIndex = places.get(supplier) ?? 0;
      const reached = outcome.items.flatMap((location): Candidate[] => {
        const distance = near && kilometres(near, location);
        if (!location.public || (near && distance !== undefined && distance > near.radiusKm)) return [];
        return [{ supplier, supplierIndex, location, ...(distance === undefined ? {} : { distanceKm: distance }) }];
      });
      if (reached.length === 0) return { ...outcome, kind: 'empty' as const };
      // No other counter of this supplier can come to be shown, and what the gateway adds to one costs more than finding it.
      const shown = rank(reached, wanted, TOP);
      for (const { location } of shown) this.facts.of(supplier, location);
      best.set(supplier, shown);
      return { ...outcome, items: reached.map(({ location }) => location) };
    });
    const folded = foldCalls(outcomes);
    const candidates = folded.flatMap(({ kind, supplier }) =>
      kind === 'answered' ? (best.get(supplier.id) ?? []) : [],
    );
    return {
      ...merge(folded),
      locations: rank(candidates, wanted, TOP).map(({ supplier, location, distanceKm: away }) =>
        locationView(supplier, location, this.facts.of(supplier, location), away),
      ),
      skipped: plan.skipped.map((supplier) => supplier.id),
    };
  }
}

function magicOr(keyword: string): string {
  const code = keyword.toUpperCase();
  return isMagicPlace(code) ? code : (correctKeyword(keyword) ?? keyword);
}

/** Suppliers search by word: a point becomes the city of its nearest airport (a large one counts as 15 km nearer), if one is within reach. */
function nearestCity(near: { latitude: number; longitude: number; radiusKm: number }): string | undefined {
  let best: { city: string; away: number } | undefined;
  for (const airport of airports) {
    if (Math.abs(airport.latitude - near.latitude) > 2) continue;
    const away = distanceKm(near, airport) - (airport.large ? 15 : 0);
    if (away <= Math.max(100, near.radiusKm) && (!best || away < best.away)) best = { city: airport.city, away };
  }
  return best?.city;
}

function kilometres(
  near: { latitude: number; longitude: number },
  location: { latitude?: number; longitude?: number },
): number {
  if (location.latitude === undefined || location.longitude === undefined) return Number.POSITIVE_INFINITY;
  return distanceKm(near, { latitude: location.latitude, longitude: location.longitude });
}
