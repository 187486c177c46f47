import type { ListedOffer } from '../model/offers.js';
import type { CallOutcome } from '../suppliers/outcome.js';

type Found = Pick<CallOutcome<ListedOffer> & { readonly kind: 'answered' }, 'supplier' | 'items'>;

/**
 * Ids of the suppliers with the lowest total of a search, in their order; several if their totals are equal, empty without offers.
 * Amounts in different currencies can't be compared: with a requested `currency`, the prices shown in it count, otherwise
 * the totals in the most frequent currency.
 */
export function cheapestSuppliers(outcomes: readonly Found[], currency: string | undefined): readonly string[] {
  const [counts, lowest] = [new Map<string, number>(), new Map<string, Map<string, number>>()];
  for (const { supplier, items } of outcomes)
    for (const { price } of items) {
      const amount = currency === undefined ? price.total : price.display;
      if (!amount) continue;
      counts.set(amount.currency, (counts.get(amount.currency) ?? 0) + 1);
      const bySupplier = lowest.get(amount.currency) ?? new Map<string, number>();
      lowest.set(amount.currency, bySupplier);
      bySupplier.set(supplier.id, Math.min(amount.amountMinor, bySupplier.get(supplier.id) ?? amount.amountMinor));
    }
  const [main = ''] = [...counts].sort((one, two) => two[1] - one[1])[0] ?? [];
  const bySupplier = [...(lowest.get(main) ?? [])];
  const least = Math.min(...bySupplier.map(([, amount]) => amount));
  return bySupplier.filter(([, amount]) => amount === least).map(([id]) => id);
}
