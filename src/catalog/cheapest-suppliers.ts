import type { ListedOffer } from '../model/offers.js';
import type { CallOutcome } from '../suppliers/outcome.js';
import { inCurrencyOrder } from './currency-order.js';
import type { NormalizedSearch } from './normalize-search.js';

type Found = Pick<CallOutcome<ListedOffer> & { readonly kind: 'answered' }, 'supplier' | 'items'>;

/**
 * Ids of the suppliers with the lowest total of a search, in their order; several if their totals are equal, empty without offers.
 * Amounts in different currencies can't be compared: with a requested `currency`, the prices shown in it count, otherwise
 * the totals in the first one of `inCurrencyOrder`.
 */
export function cheapestSuppliers(
  outcomes: readonly Found[],
  { currency, pickup }: Pick<NormalizedSearch, 'currency' | 'pickup'>,
): readonly string[] {
  const [counts, lowest] = [new Map<string, number>(), new Map<string, Map<string, number>>()];
  for (const { supplier, items } of outcomes)
    for (const [code, { count, least }] of byCurrency(items, currency)) {
      counts.set(code, (counts.get(code) ?? 0) + count);
      const bySupplier = lowest.get(code) ?? new Map<string, number>();
      lowest.set(code, bySupplier.set(supplier.id, least));
    }
  const used = [...counts].map(([code, offers]) => [code, { suppliers: lowest.get(code)?.size ?? 0, offers }] as const);
  const [main = ''] = inCurrencyOrder(new Map(used), pickup.ref.countryCode);
  const bySupplier = [...(lowest.get(main) ?? [])];
  const least = Math.min(...bySupplier.map(([, amount]) => amount));
  return bySupplier.filter(([, amount]) => amount === least).map(([id]) => id);
}

/** Number and lowest amount of a supplier's prices by currency, in the order in which the currencies occur. */
function byCurrency(items: Found['items'], currency: string | undefined) {
  const found = new Map<string, { count: number; least: number }>();
  for (const { price } of items) {
    const amount = currency === undefined ? price.total : price.display;
    if (!amount) continue;
    const known = found.get(amount.currency);
    if (known) {
      known.count += 1;
      known.least = Math.min(known.least, amount.amountMinor);
    } else found.set(amount.currency, { count: 1, least: amount.amountMinor });
  }
  return found;
}
