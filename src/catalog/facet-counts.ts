import { formatAmount, type Money } from '../model/money.js';
import type { ListedOffer } from '../model/offers.js';
import { airConditioningOf, electricRangeOf, fuelOf, transmissionOf } from '../model/vehicle-features.js';
import type { WireView } from '../representations/wire-view.js';
import type { facetsWire } from './facets.wire.js';
import type { FacetName } from './fact-filters.schema.js';
import type { NormalizedSearch } from './normalize-search.js';
import { categoryOf, comparedPrice, doorsOf, filtersOf, isUnlimited, type OfferFilter } from './offer-filters.js';

/** Most values of one facet in a response, and most currencies of its prices. */
export const MOST_VALUES = 50;

type CountedName = Exclude<FacetName, 'price'>;

const FUELS: ReadonlySet<string> = new Set(['petrol', 'diesel', 'hybrid', 'electric']);

/** The value of an offer for each facet, as its filter would select it; undefined if it is unknown or no filter has it. */
const VALUE_OF: { readonly [name in CountedName]: (offer: ListedOffer, supplier: string) => string | undefined } = {
  supplier: (_offer, supplier) => supplier,
  brand: ({ brand }) => brand,
  category: categoryOf,
  transmission: ({ vehicle }) => transmissionOf(vehicle),
  fuel: ({ vehicle }) => among(FUELS, fuelOf(vehicle)),
  electric_range: ({ vehicle }) => electricRangeOf(vehicle),
  air_conditioning: ({ vehicle }) => airConditioningOf(vehicle)?.toString(),
  seats: ({ vehicle }) => numberUpTo(20, vehicle.seats),
  doors: (offer) => numberUpTo(9, doorsOf(offer)),
  bags_large: ({ vehicle }) => numberUpTo(20, vehicle.bagsLarge),
  bags_small: ({ vehicle }) => numberUpTo(20, vehicle.bagsSmall),
  payment: ({ rate }) => rate.payment,
  unlimited_distance: (offer) => (offer.distancePolicy.length > 0 ? String(isUnlimited(offer)) : undefined),
  free_cancellation: ({ cancellation }) => (cancellation.freeUntil === undefined ? undefined : 'true'),
  counter: ({ pickup }) => pickup.counter,
};

function among(values: ReadonlySet<string>, value: string | undefined): string | undefined {
  return value !== undefined && values.has(value) ? value : undefined;
}

function numberUpTo(most: number, value: number | undefined): string | undefined {
  return value !== undefined && value <= most ? String(value) : undefined;
}

interface Counted {
  readonly counts: Map<string, number>;
  unknown: number;
}

interface PriceRange {
  min: Money;
  max: Money;
  count: number;
}

/**
 * Counts the offers of one search for its facets. An offer counts for a facet if it passes all filters except those of
 * the facet itself.
 */
export class FacetCounts {
  readonly #filters: readonly OfferFilter[];
  readonly #counted: readonly (readonly [CountedName, Counted])[];
  readonly #ranges: Map<string, PriceRange> | undefined;
  readonly #currency: string | undefined;

  /** The search must have facets. */
  constructor(search: NormalizedSearch) {
    const names = search.facets ?? [];
    this.#filters = filtersOf(search);
    this.#currency = search.currency;
    this.#ranges = names.includes('price') ? new Map() : undefined;
    this.#counted = names.flatMap((name) => (name === 'price' ? [] : [[name, { counts: new Map(), unknown: 0 }]]));
  }

  /** Counts an offer, which may fail the filters. */
  add(supplier: string, offer: ListedOffer): void {
    let only: FacetName | undefined;
    for (const { facet, passes } of this.#filters) {
      if (passes(offer)) continue;
      if (facet === undefined || (only !== undefined && only !== facet)) return;
      only = facet;
    }
    if (this.#ranges && (only ?? 'price') === 'price') this.#addPrice(this.#ranges, offer);
    for (const [name, counted] of this.#counted) {
      if (only !== undefined && only !== name) continue;
      const value = VALUE_OF[name](offer, supplier);
      if (value === undefined) counted.unknown += 1;
      else counted.counts.set(value, (counted.counts.get(value) ?? 0) + 1);
    }
  }

  #addPrice(ranges: Map<string, PriceRange>, offer: ListedOffer): void {
    const price = comparedPrice(offer, this.#currency);
    if (!price) return;
    const range = ranges.get(price.currency);
    if (!range) {
      ranges.set(price.currency, { min: price, max: price, count: 1 });
      return;
    }
    range.count += 1;
    if (price.amountMinor < range.min.amountMinor) range.min = price;
    if (price.amountMinor > range.max.amountMinor) range.max = price;
  }

  /** The facets as in a response: the most frequent value first, then by value. */
  view(): WireView<typeof facetsWire> {
    const price =
      this.#ranges &&
      [...this.#ranges]
        .sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
        .slice(0, MOST_VALUES)
        .map(([currency, { min, max, count }]) => ({
          currency,
          min: formatAmount(min),
          max: formatAmount(max),
          count,
        }));
    const counted = this.#counted.map(([name, { counts, unknown }]) => [name, { values: valuesOf(counts), unknown }]);
    return { ...(price ? { price } : {}), ...Object.fromEntries(counted) };
  }
}

function valuesOf(counts: ReadonlyMap<string, number>) {
  return [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, MOST_VALUES)
    .map(([value, count]) => ({ value, count }));
}
