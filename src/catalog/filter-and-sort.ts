import type { ListedOffer } from '../model/offers.js';
import { distanceKm } from '../places/places.js';
import type { CallOutcome } from '../suppliers/outcome.js';
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
 * different currencies cannot be compared: the most frequent currency comes first.
 */
export function sortOffers<T extends ListedOffer>(
  offers: RankedOffer<T>[],
  search: NormalizedSearch,
): RankedOffer<T>[] {
  if (search.sortBy === 'supplier') return offers;
  const rankOf = currencyRanks(offers);
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

function currencyRanks(offers: readonly RankedOffer<ListedOffer>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { offer } of offers)
    counts.set(offer.price.total.currency, (counts.get(offer.price.total.currency) ?? 0) + 1);
  const order = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return new Map(order.map(([currency], index) => [currency, index]));
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
