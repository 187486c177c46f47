import type { SippCategory } from '../model/acriss.js';
import type { Counter } from '../model/locations.js';
import type { PaymentType } from '../model/offers.js';
import type { Problem } from '../status/api-error.js';
import { FACETS, type FacetName } from './fact-filters.schema.js';
import type { ScopeTarget } from './scope-problems.js';
import type { VehiclesBody, VehiclesQuery } from './vehicles.schema.js';

/** Filters on what suppliers state about an offer. Absent members filter nothing. */
export interface FactFilters {
  readonly airConditioning?: true;
  readonly doorsMin?: number;
  readonly bagsLargeMin?: number;
  readonly bagsSmallMin?: number;
  readonly categories?: ReadonlySet<SippCategory>;
  readonly payments?: ReadonlySet<PaymentType>;
  readonly counters?: ReadonlySet<Counter>;
  readonly electricRange?: 'standard' | 'long';
  /** For the complete rental. */
  readonly distanceIncludedMinKm?: number;
  /** Local time at the pickup location. */
  readonly freeCancellationUntil?: string;
}

/** What a search has beside the older filters; all absent = nothing was requested. */
export interface SearchFacts {
  readonly facts?: FactFilters;
  /** Ids of the only suppliers to call. */
  readonly onlySuppliers?: readonly string[];
  /** What to count, each once, in the order of FACETS. */
  readonly facets?: readonly FacetName[];
  readonly groupBy?: 'car';
}

/** The filters, suppliers, facets and grouping of a search. */
export function factsOf(input: VehiclesQuery | VehiclesBody): SearchFacts {
  const facts: FactFilters = {
    ...(input.air_conditioning ? { airConditioning: true } : {}),
    ...given('doorsMin', input.doors_min),
    ...given('bagsLargeMin', input.bags_large_min),
    ...given('bagsSmallMin', input.bags_small_min),
    ...given('categories', input.category && new Set(input.category)),
    ...given('payments', input.payment && new Set(input.payment)),
    ...given('counters', input.counter && new Set(input.counter)),
    ...given('electricRange', input.electric_range),
    ...given('distanceIncludedMinKm', input.distance_included_min_km),
    ...given('freeCancellationUntil', input.free_cancellation_until),
  };
  const facets: readonly string[] | undefined = input.facets;
  return {
    ...(Object.keys(facts).length > 0 ? { facts } : {}),
    ...given('onlySuppliers', input.supplier && [...new Set(input.supplier)]),
    ...given('groupBy', input.group_by),
    ...given('facets', facets && FACETS.filter((name) => facets.includes('true') || facets.includes(name))),
  };
}

function given<K extends string, V>(name: K, value: V | undefined): { readonly [key in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [key in K]: V });
}

/** One invalid_range problem per unknown supplier, and for a free cancellation that would end after the pickup. */
export function factProblems(input: VehiclesQuery | VehiclesBody, suppliers: readonly ScopeTarget[]): Problem[] {
  const problems: Problem[] = [];
  const unknown = input.supplier?.find((id) => !suppliers.some((supplier) => supplier.id === id));
  if (unknown !== undefined) {
    const details = `"${unknown.slice(0, 40)}" is not a known supplier. Use one of ${suppliers.map(({ id }) => id).join(', ')}.`;
    problems.push({ reason: 'invalid_range', field: 'supplier', details });
  }
  if (input.free_cancellation_until !== undefined && input.free_cancellation_until > input.pickup_date) {
    const details = '"free_cancellation_until" must not be after "pickup_date".';
    problems.push({ reason: 'invalid_range', field: 'free_cancellation_until', details });
  }
  return problems;
}

/** The brands to search: of the requested ones, those of the requested suppliers. Undefined means every brand. */
export function brandsOf(
  { brands, onlySuppliers }: SearchFacts & { readonly brands: readonly string[] | undefined },
  suppliers: readonly { readonly id: string; readonly config: ScopeTarget }[],
): readonly string[] | undefined {
  if (!onlySuppliers) return brands;
  const own = suppliers.flatMap(({ id, config }) => (onlySuppliers.includes(id) ? config.brands : []));
  return brands ? own.filter((brand) => brands.includes(brand)) : own;
}

/** The facts as echoed in `request`; undefined members weren't requested. */
export function factsEcho({ facts = {}, onlySuppliers, facets, groupBy }: SearchFacts): Record<string, unknown> {
  return {
    supplier: onlySuppliers,
    category: facts.categories && [...facts.categories],
    air_conditioning: facts.airConditioning,
    doors_min: facts.doorsMin,
    bags_large_min: facts.bagsLargeMin,
    bags_small_min: facts.bagsSmallMin,
    electric_range: facts.electricRange,
    payment: facts.payments && [...facts.payments],
    counter: facts.counters && [...facts.counters],
    distance_included_min_km: facts.distanceIncludedMinKm,
    free_cancellation_until: facts.freeCancellationUntil,
    facets,
    group_by: groupBy,
  };
}
