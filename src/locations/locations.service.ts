import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import { enterScenario } from '../context/enter-scenario.js';
import type { RequestContext } from '../context/request-context.js';
import { UNKNOWN_COUNTRY } from '../http/fields.js';
import type { SupplierLocation } from '../model/locations.js';
import { LocationFactsCache, type LocationView, locationView } from '../representations/location-view.js';
import { MAGIC_COUNTRY, type MagicPlace, magicPlace } from '../sandbox/magic-places.js';
import { ApiError, type Problem } from '../status/api-error.js';
import { wantedBrands } from '../suppliers/brands.js';
import { merge, noResults } from '../suppliers/merge.js';
import { foldCalls } from '../suppliers/outcome.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { type Plan, SupplierSearch } from '../suppliers/supplier-search.js';
import type { LocationsQuery } from './locations.schema.js';
import { type Candidate, fold, type Relevances, rank, relevance } from './rank.js';
import { keywordOf, type Near, nearOf, withinReach } from './reach.js';

const TOP = 3;

/** The result of a location search: at most three locations, problems, and the ids of skipped suppliers. */
export interface FoundLocations {
  readonly partial: boolean;
  readonly problems: readonly Problem[];
  readonly locations: readonly LocationView[];
  readonly skipped: readonly string[];
  /** How long a complete answer may be cached. */
  readonly maxAgeSeconds: number;
  /** Age of the oldest answer from memory, in whole seconds; undefined if all suppliers were called. */
  readonly ageSeconds: number | undefined;
}

/** Keyword and proximity search across all suppliers (spec §4.2). */
@Injectable()
export class LocationsService {
  constructor(
    private readonly suppliers: SupplierSearch,
    private readonly registry: SupplierRegistry,
    private readonly facts: LocationFactsCache,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Throws ApiError 400 for an unknown brand or country, 404 if no supplier has a location, 500 if every supplier failed. */
  async find(query: LocationsQuery, context: RequestContext): Promise<FoundLocations> {
    const brands = wantedBrands(query.brand, this.registry.brands);
    enterScenario(context, [query.keyword ?? ''], this.registry.simulated);
    const near = nearOf(query);
    const keyword = keywordOf(query, near, this.#magicPlaceOf(query));
    const wanted = query.keyword === undefined ? undefined : keyword;
    const known: Relevances = new Map();
    const weigh = weigherOf(wanted, known);
    const plan = this.#plan(query, brands, near, keyword, context, weigh);
    const places = new Map(plan.calls.map(({ supplier }, index) => [supplier.id, index]));
    const reached = new Map<string, readonly Candidate[]>();
    const outcomes = await this.suppliers.collect(plan, { minSuppliers: 0 }, context, (outcome) => {
      if (outcome.kind !== 'answered') return outcome;
      const supplier = outcome.supplier.id;
      const own = withinReach(supplier, places.get(supplier) ?? 0, outcome.items, near);
      if (own.length === 0) return { ...outcome, kind: 'empty' as const };
      reached.set(supplier, own);
      return { ...outcome, items: own.map(({ location }) => location) };
    });
    const folded = foldCalls(outcomes);
    const best: Candidate[] = [];
    for (const { kind, supplier } of folded) {
      if (kind === 'answered') best.push(...(await rank(reached.get(supplier.id) ?? [], wanted, TOP, known)));
    }
    const merged = merge(folded);
    context.trace?.setEntries(merged.problems);
    const ages = folded.flatMap(({ ageSeconds }) => ageSeconds ?? []);
    const shown = await rank(best, wanted, TOP, known);
    return {
      ...merged,
      locations: shown.map(({ supplier, location, distanceKm }) =>
        locationView(supplier, location, this.facts.of(supplier, location), distanceKm),
      ),
      skipped: plan.skipped.map((supplier) => supplier.id),
      maxAgeSeconds: this.config.search.locationsMaxAgeSeconds,
      ageSeconds: ages.length > 0 ? Math.max(...ages) : undefined,
    };
  }

  /** The sandbox's magic place that a query names. Production has none: no supplier is asked for one, and its country doesn't exist. */
  #magicPlaceOf({ keyword, country_code }: LocationsQuery): MagicPlace | undefined {
    const { environment } = this.config;
    if (environment === 'production' && country_code === MAGIC_COUNTRY)
      throw ApiError.of('invalid_range', `"country_code" ${UNKNOWN_COUNTRY}`, { field: 'country_code' });
    const magic = keyword === undefined ? undefined : magicPlace(keyword, environment);
    if (magic === 'unknown') throw noResults();
    return magic;
  }

  #plan(
    { country_code }: LocationsQuery,
    brands: readonly string[] | undefined,
    near: Near | undefined,
    keyword: string | undefined,
    context: RequestContext,
    weigh: (location: SupplierLocation) => void,
  ): Plan<SupplierLocation> {
    const reach = { brands, countryCode: country_code };
    const search = {
      ...(keyword === undefined ? {} : { keyword }),
      ...(country_code === undefined || country_code === MAGIC_COUNTRY ? {} : { countryCode: country_code }),
      ...(near && keyword === undefined ? { near } : {}),
    };
    return this.suppliers.planLocations(context, reach, search, weigh);
  }
}

/** Computes relevances while the call of a supplier is open, because they take the more time the more it sends. */
function weigherOf(keyword: string | undefined, known: Relevances): (location: SupplierLocation) => void {
  if (keyword === undefined) return () => undefined;
  const wanted = fold(keyword);
  return (location) => known.set(location, relevance(location, wanted));
}
