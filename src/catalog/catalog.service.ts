import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import { randomText } from '../config/random-text.js';
import { enterScenario } from '../context/enter-scenario.js';
import type { RequestContext } from '../context/request-context.js';
import { ExchangeRates } from '../currencies/exchange-rates.service.js';
import { UnreadAnswers } from '../http/unread-answers.js';
import type { SupplierOffer } from '../model/offers.js';
import { type BrandOwner, codeOf } from '../offers/resolve-place.js';
import type { JsonBytes } from '../representations/json-bytes.js';
import { LocationFactsCache } from '../representations/location-view.js';
import { OfferViews, type SearchedOffer, writtenBytes } from '../representations/offer-view.js';
import { wantedBrands } from '../suppliers/brands.js';
import { type Merged, merge } from '../suppliers/merge.js';
import { type CallOutcome, foldCalls, type SupplierOutcome } from '../suppliers/outcome.js';
import { type Supplier, SupplierRegistry } from '../suppliers/registry.js';
import type { ScopedSearch } from '../suppliers/scoped-codes.js';
import { type Plan, SupplierSearch } from '../suppliers/supplier-search.js';
import { inSupplierOrder, searchesOf, searchForLines, viewsOf, withFailedAirports } from './airport-searches.js';
import { AirportTurns } from './airport-turns.js';
import type { ToBytes } from './answer-parts.js';
import { catalogViewOf } from './catalog-view.js';
import { cheapestSuppliers } from './cheapest-suppliers.js';
import { conversionView } from './conversion-view.js';
import { brandsOf } from './fact-filters.js';
import { applyFilters } from './filter-and-sort.js';
import { FoundFacets, noTablesOfGroups, refuseInLines } from './found-facets.js';
import { GroupWriter } from './group-writer.js';
import { type NormalizedSearch, normalize, requestEcho, searchKeyOf } from './normalize-search.js';
import { type MadeLines, OfferStream } from './offer-stream.js';
import { OfferWriter } from './offer-writer.js';
import { shareFor } from './search-share.js';
import { skippedRow, supplierRow } from './supplier-row.js';
import type { VehiclesBody, VehiclesQuery } from './vehicles.schema.js';
import type { VehiclesMembers } from './vehicles.wire.js';

/** About the length of an offer of the simulated suppliers, whose offers are complete. */
const BYTES_PER_OFFER = 5_500;

/** A finished search: the merged outcome, all members except `status`, and the ids of skipped suppliers. */
export interface FoundVehicles {
  readonly merged: Merged;
  /** Without `vehicles` or `groups`, whichever is in `list`. */
  readonly members: Omit<VehiclesMembers, 'vehicles'> & { readonly vehicles?: readonly [] };
  readonly list: { readonly name: 'vehicles' | 'groups'; readonly items: readonly JsonBytes[] };
  readonly skipped: readonly string[];
  /** If the search has a page_size: that, and when the last offer of its pages expires, in epoch milliseconds. */
  readonly paging?: { readonly size: number; readonly endsAt: number };
}

/** Availability from all suppliers (spec §4.3, rulings 1–8). */
@Injectable()
export class CatalogService {
  readonly #keys: AcceptedKeys;
  readonly #ofSeveral = new AirportTurns();

  constructor(
    private readonly suppliers: SupplierSearch,
    private readonly registry: SupplierRegistry,
    private readonly facts: LocationFactsCache,
    private readonly unread: UnreadAnswers,
    private readonly rates: ExchangeRates,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#keys = acceptedKeys(keys, 'offer_id');
  }

  /**
   * Throws ApiError 404 if no supplier has a car, 500 if every supplier failed, 503 if all are in maintenance, 429 if the
   * account's other searches of several airports take too long.
   */
  async find(input: VehiclesQuery | VehiclesBody, context: RequestContext): Promise<FoundVehicles> {
    const search = this.#begin(input, context);
    if (search.groupBy && input.view === 'compact') throw noTablesOfGroups();
    await this.unread.reserve(context, search.maxResults * BYTES_PER_OFFER);
    if (!search.pickup.airports) return this.#find(search, context);
    return await this.#ofSeveral.run(context, () => this.#find(search, context));
  }

  async #find(search: NormalizedSearch, context: RequestContext): Promise<FoundVehicles> {
    const searches = searchesOf(search).map((one) => {
      const views = this.#views(one, context);
      return { one, views, plan: this.#plan(one, context, views) };
    });
    const facets = search.facets && new FoundFacets(search, context.accountId);
    const perAirport = await Promise.all(
      searches.map(({ one, plan }) => this.#collect(plan, one, context, undefined, facets)),
    );
    const calls = inSupplierOrder(perAirport);
    const outcomes = foldCalls(calls);
    const merged = withFailedAirports(merge(outcomes), perAirport, search.pickup);
    context.trace?.setEntries(merged.problems);
    context.trace?.setCheapest(cheapestSuppliers(outcomes, search));
    const viewsOfOffer = viewsOf(searches, perAirport);
    let endsAt = 0;
    const writer = this.#writer(search, context, (offer) => {
      const views = viewsOfOffer(offer);
      endsAt = Math.max(endsAt, views.expiryOfSearched(offer));
      return views;
    });
    const { found, groups, items } = await writer.write(outcomes);
    const plan = { skipped: [...new Set(searches.flatMap((one) => one.plan.skipped))] };
    return {
      merged,
      members: {
        ...this.#head(search, context),
        vehicles_found: found,
        suppliers: this.#rows(outcomes, plan),
        facets: await facets?.count(calls),
        groups_found: groups,
        ...(groups === undefined ? {} : { vehicles: [] }),
        page: undefined,
        links: undefined,
        compact: undefined,
      },
      list: { name: groups === undefined ? 'vehicles' : 'groups', items },
      skipped: plan.skipped.map((supplier) => supplier.id),
      ...(search.pageSize === undefined ? {} : { paging: { size: search.pageSize, endsAt } }),
    };
  }

  /**
   * The same search as NDJSON: a line with search_id and request, then one line {supplier, outcome, …, vehicles} per
   * supplier call as it settles, with its best `max_results` offers, then a last line `status` with the final entries.
   * Nothing is written before the first supplier has data: a search without any throws the same errors as `find`. `made` resolves after the last line.
   */
  async stream(input: VehiclesQuery | VehiclesBody, context: RequestContext): Promise<MadeLines> {
    const search = this.#begin(input, context);
    refuseInLines(search);
    const only = searchForLines(search);
    await this.unread.reserve(context, search.maxResults * BYTES_PER_OFFER);
    const views = this.#views(only, context);
    const plan = this.#plan(only, context, views);
    const skipped = this.#skippedRows(plan);
    const lines = new OfferStream(
      this.#head(search, context),
      this.#writer(search, context, () => views, plan.calls.length),
      (length) => this.unread.grow(context, length),
    );
    let signalData = (): void => undefined;
    const firstData = new Promise<void>((resolve) => {
      signalData = resolve;
    });
    const done = this.#collect(plan, only, context, (outcome) => {
      lines.add(outcome);
      if (outcome.kind === 'answered') signalData();
    });
    const all = await Promise.race([done, firstData]);
    if (all) merge(foldCalls(all));
    const made = done
      .then((outcomes) => {
        context.trace?.setCheapest(cheapestSuppliers(foldCalls(outcomes), search));
        return lines.end(outcomes, skipped, context.startedAt);
      })
      .then(
        (entries) => context.trace?.setEntries(entries),
        (error: Error) => void lines.readable.destroy(error),
      );
    return { readable: lines.readable, made };
  }

  /** What an answer begins with. */
  #head(
    search: NormalizedSearch,
    context: RequestContext,
  ): Pick<VehiclesMembers, 'search_id' | 'request' | 'conversion'> {
    const search_id = `sea_${randomText()}`;
    const { currency } = search;
    const conversion =
      currency === undefined ? undefined : conversionView(currency, this.rates.table, context.startedAt);
    return { search_id, request: requestEcho(search), conversion };
  }

  /** One row per supplier, called or skipped, in supplier order. */
  #rows(
    outcomes: readonly SupplierOutcome<unknown>[],
    plan: Pick<Plan<SearchedOffer>, 'skipped'>,
  ): VehiclesMembers['suppliers'] {
    if (plan.skipped.length === 0) return outcomes.map(supplierRow);
    const order = this.registry.suppliers.map(({ id }) => id);
    return [...outcomes.map(supplierRow), ...this.#skippedRows(plan)].sort(
      (one, other) => order.indexOf(one.supplier) - order.indexOf(other.supplier),
    );
  }

  #skippedRows({ skipped }: Pick<Plan<SearchedOffer>, 'skipped'>): VehiclesMembers['suppliers'] {
    return skipped.map((supplier) => skippedRow(supplier, this.registry.skippedUntil(supplier)));
  }

  /** Enters the scenario and normalizes the search. Throws ApiError 400 for an invalid search. */
  #begin(input: VehiclesQuery | VehiclesBody, context: RequestContext): NormalizedSearch {
    const brands = wantedBrands(input.brand, this.registry.brands);
    const places = [input.pickup_location, input.dropoff_location].map((text = '') => codeOf(text, this.#keys));
    enterScenario(context, places, this.registry.simulated);
    const { maxResults, defaultResults, timeoutMs } = this.config.search;
    return normalize(input, {
      now: context.startedAt,
      key: this.#keys,
      environment: this.config.environment,
      brands,
      owner: this.#owner(brands),
      suppliers: this.registry.shown.map(({ config }) => config),
      maxResults,
      defaultResults,
      timeoutMs,
    });
  }

  /** The supplier to which a bare location code may belong: that of the brand, if exactly one is named. */
  #owner(brands: readonly string[] | undefined): BrandOwner | undefined {
    const [brand, ...more] = brands ?? [];
    if (brand === undefined || more.length > 0) return undefined;
    const supplier = this.registry.shown.find(({ config }) => config.brands.includes(brand));
    return supplier && { supplier: supplier.id, brand };
  }

  /** The outcomes in call order, reduced to the offers that pass the filters; `onOutcome` gets each as it settles. */
  async #collect(
    plan: Plan<SearchedOffer>,
    search: NormalizedSearch,
    context: RequestContext,
    onOutcome?: (outcome: CallOutcome<SearchedOffer>) => void,
    facets?: FoundFacets,
  ): Promise<CallOutcome<SearchedOffer>[]> {
    const { minSuppliers, timeoutMs } = search;
    const completion = { minSuppliers, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
    return this.suppliers.collect(plan, completion, context, (outcome) => {
      const filtered = applyFilters(outcome, search);
      facets?.keep(outcome, filtered);
      onOutcome?.(filtered);
      return filtered;
    });
  }

  #views(search: NormalizedSearch, context: RequestContext): OfferViews {
    return new OfferViews(
      searchKeyOf(search),
      context.policy.applicationId,
      this.facts,
      this.#keys[0],
      context.startedAt,
      this.config.search.offerTtlSeconds,
      search.currency,
      context.scenario !== undefined,
    );
  }

  #writer(
    search: NormalizedSearch,
    { accountId }: RequestContext,
    viewsOfOffer: (offer: SearchedOffer) => OfferViews,
    lines = 1,
  ): OfferWriter | GroupWriter {
    const { maxAnswerBytes } = this.config.search;
    const toBytes: ToBytes = (supplier, offer) => viewsOfOffer(offer).bytesOf(supplier, offer);
    return search.groupBy
      ? new GroupWriter(search, toBytes, maxAnswerBytes, accountId)
      : new OfferWriter(search, toBytes, maxAnswerBytes, accountId, lines);
  }

  #plan(search: NormalizedSearch, context: RequestContext, views: OfferViews): Plan<SearchedOffer> {
    const { pickup, dropoff } = search;
    const asked = brandsOf(search, this.registry.shown);
    const onlyBrands = [pickup.onlyBrand, dropoff.onlyBrand].filter((brand) => brand !== undefined);
    const brands =
      onlyBrands.length === 0
        ? asked
        : (asked ?? onlyBrands).filter((brand) => onlyBrands.every((only) => only === brand));
    const common = catalogViewOf(search, undefined);
    const searchFor = (supplier: Supplier): ScopedSearch | undefined => {
      if (search.onlySuppliers && !search.onlySuppliers.includes(supplier.id)) return undefined;
      if ((pickup.onlySupplier ?? supplier.id) !== supplier.id || (dropoff.onlySupplier ?? supplier.id) !== supplier.id)
        return undefined;
      if (pickup.codeOf !== supplier.id && dropoff.codeOf !== supplier.id) return common;
      return catalogViewOf(search, supplier.id);
    };
    const isKept = context.scenario === undefined;
    const terms = search.currency === undefined ? undefined : { currency: search.currency };
    const write = ({ id, connection }: Supplier, answered: SupplierOffer): SearchedOffer => {
      const offer = this.rates.shown(answered, terms, context.startedAt);
      if (isKept && connection.rules.memory?.keeps('searchVehicles')) return views.write(id, offer);
      views.prepare(id, offer);
      return offer;
    };
    const measure = {
      bytesOf: (offer: SearchedOffer) => ('json' in offer ? writtenBytes(offer) : 0),
      expiryOf: (offer: SearchedOffer) => ('json' in offer ? Math.min(views.expiryOf(offer), offer.freeEndsAt) : 0),
    };
    const reach = {
      brands,
      countryCode: pickup.ref.countryCode || undefined,
      inShare: shareFor(search, context.policy.applicationId),
    };
    return this.suppliers.planVehicles(context, reach, searchFor, write, measure);
  }
}
