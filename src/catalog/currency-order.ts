import { currencyOfCountry } from '../places/places.js';

/** How much of a search is priced in a currency. */
export interface CurrencyUse {
  readonly suppliers: number;
  readonly offers: number;
}

/**
 * The currencies of a search that names none, in the order in which their amounts are listed, as they can't be compared: that of most suppliers
 * first, then that of the pickup's country, then that of most offers, then by code. A supplier with many offers doesn't outnumber the others.
 */
export function inCurrencyOrder(used: ReadonlyMap<string, CurrencyUse>, countryCode: string): readonly string[] {
  const own = currencyOfCountry(countryCode);
  return [...used]
    .sort(
      ([left, a], [right, b]) =>
        b.suppliers - a.suppliers ||
        Number(right === own) - Number(left === own) ||
        b.offers - a.offers ||
        (left < right ? -1 : 1),
    )
    .map(([currency]) => currency);
}
