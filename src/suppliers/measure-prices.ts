import { supplierTallies } from '../metrics/supplier-tallies.js';
import type { SupplierOffer } from '../model/offers.js';

/** Counts the level of prices: the logarithm of the cheapest total, so that a factor shows whatever is searched. */
export function measurePrices(supplier: string, offers: readonly SupplierOffer[]): void {
  let cheapest = Number.POSITIVE_INFINITY;
  for (const { price } of offers)
    if (price.total.amountMinor > 0 && price.total.amountMinor < cheapest) cheapest = price.total.amountMinor;
  const now = Date.now();
  supplierTallies.measure(supplier, 'offers', offers.length, now);
  if (cheapest < Number.POSITIVE_INFINITY) supplierTallies.measure(supplier, 'price_level', Math.log(cheapest), now);
}
