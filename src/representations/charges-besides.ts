import type { Money } from '../model/money.js';
import type { ChargeKind, PriceItem } from '../model/offers.js';

/** What an offer may list without listing its charges: what the total consists of, and what was chosen. */
const NO_CHARGES: ReadonlySet<string> = new Set<ChargeKind>([
  ...(['rental', 'distance', 'tax', 'discount'] as const),
  ...(['equipment', 'coverage', 'additional_driver'] as const),
]);

/** What is compared of a price item. */
interface Charge extends Pick<PriceItem, 'mandatory' | 'includedInTotal' | 'amount'> {
  readonly kind: string;
}

/**
 * The sum of the mandatory charges besides the total, in its currency; undefined if the items say nothing of charges. Many searches
 * list a line for the rental only, and the charges in the price check.
 */
export function besidesOf(items: readonly Charge[], { currency }: Money): number | undefined {
  const sum = sumsBesides(items)[currency];
  return sum === undefined && items.every(({ kind }) => NO_CHARGES.has(kind)) ? undefined : (sum ?? 0);
}

/** The mandatory charges in other currencies than the total's, by currency; undefined if there are none. */
export function localOf(items: readonly Charge[], { currency }: Money): Readonly<Record<string, number>> | undefined {
  const { [currency]: _own, ...local } = sumsBesides(items);
  return Object.keys(local).length === 0 ? undefined : local;
}

/** The mandatory charges besides the total, in the smallest unit, by currency. */
export function sumsBesides(items: readonly Charge[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { mandatory, includedInTotal, amount } of items)
    if (mandatory && !includedInTotal) sums[amount.currency] = (sums[amount.currency] ?? 0) + amount.amountMinor;
  return sums;
}
