import type { ListedOffer } from '../model/offers.js';
import { distanceKm } from '../places/places.js';
import type { CallOutcome } from '../suppliers/outcome.js';
import { inCurrencyOrder } from './currency-order.js';
import type { NormalizedSearch } from './normalize-search.js';
import { filtersOf } from './offer-filters.js';

/** An offer with the position of its supplier, before it has an id. */
export interface RankedOffer<T extends ListedOffer> {
  readonly supplier: string;
  readonly supplierIndex: number;
  readonly offer: T;
}

/**
 * Applies the filters. An offer without a property, or with contradictory ones, doesn't pass a filter on it. A supplier left without offers counts as empty, with the number of removed offers in `filtered`.
 * `unconverted` is the number of offers that have no price in the requested currency, whether they pass or not.
 */
export function applyFilters<T extends ListedOffer>(outcome: CallOutcome<T>, search: NormalizedSearch): CallOutcome<T> {
  if (outcome.kind !== 'answered') return outcome;
  const filters = filtersOf(search);
  const items = outcome.items.filter((offer) => filters.every((filter) => filter.passes(offer)));
  const { items: all, ...rest } = outcome;
  const unconverted = search.currency === undefined ? 0 : all.filter(({ price }) => !price.display).length;
  const counted = unconverted > 0 ? { ...rest, unconverted } : rest;
  return items.length > 0 ? { ...counted, items } : { ...counted, kind: 'empty', filtered: all.length };
}

/**
 * Sorts offers in place by the search's `sort_by`, then by total, supplier order and the supplier's own order (ruling
 * 3). Prices are compared in the requested currency; offers without a price in it come after the others. Amounts in
 * different currencies cannot be compared: they come in the order of `inCurrencyOrder`.
 */
export function sortOffers<T extends ListedOffer>(
  offers: RankedOffer<T>[],
  search: NormalizedSearch,
): RankedOffer<T>[] {
  if (search.sortBy === 'supplier') return offers;
  const rankOf = currencyRanks(offers, search);
  const distanceByLocation = search.sortBy === 'distance' ? distances(offers, search) : undefined;
  return offers.sort((a, b) => {
    if (distanceByLocation) {
      const nearer = (distanceByLocation.get(a.offer.pickup) ?? 0) - (distanceByLocation.get(b.offer.pickup) ?? 0);
      if (nearer !== 0) return nearer;
    }
    return comparePrices(a.offer.price, b.offer.price, search, rankOf);
  });
}

/** Negative if `left` comes first. */
function comparePrices(
  left: ListedOffer['price'],
  right: ListedOffer['price'],
  { currency, sortBy }: NormalizedSearch,
  rankOf: ReadonlyMap<string, number>,
): number {
  const byDueNow = sortBy === 'price_due_now';
  if (currency !== undefined && (left.display || right.display)) {
    if (!left.display || !right.display) return left.display ? -1 : 1;
    const [shown, other] = [left.display, right.display];
    const sooner = byDueNow ? (shown.dueNow ?? shown).amountMinor - (other.dueNow ?? other).amountMinor : 0;
    return sooner || shown.amountMinor - other.amountMinor;
  }
  if (left.total.currency !== right.total.currency)
    return (rankOf.get(left.total.currency) ?? 0) - (rankOf.get(right.total.currency) ?? 0);
  if (byDueNow && left.dueNow.amountMinor !== right.dueNow.amountMinor)
    return left.dueNow.amountMinor - right.dueNow.amountMinor;
  return left.total.amountMinor - right.total.amountMinor;
}

function currencyRanks(
  offers: readonly RankedOffer<ListedOffer>[],
  { pickup }: NormalizedSearch,
): ReadonlyMap<string, number> {
  const found = new Map<string, { readonly by: Set<string>; offers: number }>();
  for (const { supplier, offer } of offers) {
    const { currency } = offer.price.total;
    const known = found.get(currency) ?? { by: new Set(), offers: 0 };
    known.by.add(supplier);
    known.offers += 1;
    found.set(currency, known);
  }
  if (found.size < 2) return new Map();
  const used = new Map(
    [...found].map(([currency, { by, offers: count }]) => [currency, { suppliers: by.size, offers: count }]),
  );
  return new Map(inCurrencyOrder(used, pickup.ref.countryCode).map((currency, index) => [currency, index]));
}

function distances(
  offers: readonly RankedOffer<ListedOffer>[],
  search: NormalizedSearch,
): Map<ListedOffer['pickup'], number> {
  const { latitude, longitude } = search.pickup.circle?.point ?? search.pickup.ref;
  const result = new Map<ListedOffer['pickup'], number>();
  if (latitude === undefined || longitude === undefined) return result;
  for (const { offer } of offers) {
    const location = offer.pickup;
    if (result.has(location)) continue;
    const known = location.latitude !== undefined && location.longitude !== undefined;
    result.set(
      location,
      known
        ? distanceKm({ latitude, longitude }, { latitude: location.latitude ?? 0, longitude: location.longitude ?? 0 })
        : Number.MAX_SAFE_INTEGER,
    );
  }
  return result;
}
