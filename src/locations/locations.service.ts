import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import { enterScenario } from '../context/enter-scenario.js';
import type { RequestContext } from '../context/request-context.js';
import { UNKNOWN_COUNTRY } from '../http/fields.js';
import type { SupplierLocation } from '../model/locations.js';
import type { Place } from '../places/place.js';
import { LocationFactsCache, type LocationView, locationView } from '../representations/location-view.js';
import { MAGIC_COUNTRY, type MagicPlace, magicPlace } from '../sandbox/magic-places.js';
import { ApiError, type Problem } from '../status/api-error.js';
import { wantedBrands } from '../suppliers/brands.js';
import { shareOf } from '../suppliers/canary-share.js';
import { merge, noResults } from '../suppliers/merge.js';
import { foldCalls, type SupplierOutcome } from '../suppliers/outcome.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { callerOf } from '../suppliers/resilience/caller.js';
import { type Plan, SupplierSearch } from '../suppliers/supplier-search.js';
import { type Aim, aimOf } from './aim.js';
import type { LocationsQuery } from './locations.schema.js';
import { type Candidate, fold, type Relevances, rank, relevance } from './rank.js';
import { isAt, rankPlaces } from './rank-places.js';
import { nearestCity, nearOf, withinReach } from './reach.js';
import { type SamePlaceView, samePlaceView } from './same-place.js';

const TOP = 3;

/** The first minor whose locations are at different places. */
const DIFFERENT_PLACES_SINCE_MINOR = 2;

/** A location; since v1.2 with the others at the same place. */
export interface PlacedView {
  readonly location: LocationView;
  readonly samePlace?: readonly SamePlaceView[];
}

/** What the suppliers answered. */
interface Asked {
  readonly plan: Plan<SupplierLocation>;
  readonly folded: readonly SupplierOutcome<SupplierLocation>[];
  /** The locations within reach of each supplier that has any. */
  readonly bySupplier: readonly (readonly Candidate[])[];
  readonly reached: readonly Candidate[];
  /** By which they are ranked; undefined = by distance. */
  readonly keyword: string | undefined;
  readonly known: Relevances;
  readonly position: Place | undefined;
}

/** The result of a location search: at most three locations, problems, and the ids of skipped suppliers. */
export interface FoundLocations {
  readonly partial: boolean;
  readonly problems: readonly Problem[];
  readonly locations: readonly PlacedView[];
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

  /**
   * `minor` is the version to serve: since v1.2, the locations are at different places. Throws ApiError 400 for an unknown brand or country,
   * 404 if no supplier has a location, 500 if every supplier failed.
   */
  async find(query: LocationsQuery, minor: number, context: RequestContext): Promise<FoundLocations> {
    const brands = wantedBrands(query.brand, this.registry.brands);
    enterScenario(context, [query.keyword ?? ''], this.registry.simulated);
    const aim = aimOf(query, nearOf(query), this.#magicPlaceOf(query));
    const asked = await this.#askAll(query, brands, aim, context);
    const merged = merge(asked.folded);
    context.trace?.setEntries(merged.problems);
    const ages = asked.folded.flatMap(({ ageSeconds }) => ageSeconds ?? []);
    return {
      ...merged,
      locations: await (minor < DIFFERENT_PLACES_SINCE_MINOR
        ? this.#bySupplier(asked, context)
        : this.#byPlace(asked, context)),
      skipped: asked.plan.skipped.map((supplier) => supplier.id),
      maxAgeSeconds: this.config.search.locationsMaxAgeSeconds,
      ageSeconds: ages.length > 0 ? Math.max(...ages) : undefined,
    };
  }

  /** Asks again around the place if every supplier answered and none has a location there. */
  async #askAll(
    query: LocationsQuery,
    brands: readonly string[] | undefined,
    aim: Aim,
    context: RequestContext,
  ): Promise<Asked> {
    const first = await this.#ask(query, brands, aim, context);
    const { otherwise, place } = aim;
    const isFound = first.reached.some((candidate) => isAt(candidate, place));
    if (!otherwise || isFound || first.folded.some(({ kind }) => kind === 'failed')) return first;
    const around = { keyword: nearestCity(otherwise), near: otherwise, isByDistance: true };
    const second = await this.#ask(query, brands, around, context);
    return second.reached.length > 0 ? second : first;
  }

  async #ask(
    query: LocationsQuery,
    brands: readonly string[] | undefined,
    aim: Aim,
    context: RequestContext,
  ): Promise<Asked> {
    const { near, place } = aim;
    const keyword = aim.isByDistance ? undefined : aim.keyword;
    const known: Relevances = new Map();
    const plan = this.#plan(query, brands, aim, context, weigherOf(keyword, known));
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
    const answered = folded.flatMap(({ kind, supplier }) =>
      kind === 'answered' ? [reached.get(supplier.id) ?? []] : [],
    );
    return { plan, folded, bySupplier: answered, reached: answered.flat(), keyword, known, position: place };
  }

  /** The best locations as before v1.2: one per supplier before a second one of the same. */
  async #bySupplier(
    { bySupplier, keyword, known }: Asked,
    { accountId: account }: RequestContext,
  ): Promise<readonly PlacedView[]> {
    const best: Candidate[] = [];
    for (const own of bySupplier) best.push(...(await rank(own, { keyword, account }, TOP, known)));
    return (await rank(best, { keyword, account }, TOP, known)).map((candidate) => ({
      location: this.#viewOf(candidate),
    }));
  }

  async #byPlace(
    { reached, keyword, known, position }: Asked,
    { accountId: account }: RequestContext,
  ): Promise<readonly PlacedView[]> {
    const ranked = await rankPlaces(reached, { keyword, position, account }, TOP, known);
    return ranked.map(({ candidate, samePlace }) => ({
      location: this.#viewOf(candidate),
      samePlace: samePlace.map((other) => samePlaceView(this.#viewOf(other))),
    }));
  }

  #viewOf({ supplier, location, distanceKm }: Candidate): LocationView {
    return locationView(supplier, location, this.facts.of(supplier, location), distanceKm);
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
    { keyword, near }: Aim,
    context: RequestContext,
    weigh: (location: SupplierLocation) => void,
  ): Plan<SupplierLocation> {
    const search = {
      ...(keyword === undefined ? {} : { keyword }),
      ...(country_code === undefined || country_code === MAGIC_COUNTRY ? {} : { countryCode: country_code }),
      ...(near && keyword === undefined ? { near } : {}),
    };
    const inShare = shareOf(callerOf(context).applicationId, () => JSON.stringify(search));
    return this.suppliers.planLocations(context, { brands, countryCode: country_code, inShare }, search, weigh);
  }
}

/** Computes relevances while the call of a supplier is open, because they take the more time the more it sends. */
function weigherOf(keyword: string | undefined, known: Relevances): (location: SupplierLocation) => void {
  if (keyword === undefined) return () => undefined;
  const wanted = fold(keyword);
  return (location) => known.set(location, relevance(location, wanted));
}
