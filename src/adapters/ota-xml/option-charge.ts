import type { Money, UnreadableAmountError } from '../../model/money.js';
import { type AmountContext, ownAmount, unstated } from './amounts.js';
import { hasTaxesOnTop } from './charge-mapping.js';
import { decimalAttribute, numberOf } from './numbers.js';
import type { OtaOptions } from './options.js';
import { child, flag, items, type XmlNode } from './wire.js';

/** What a supplier states of the price of an option. */
export interface OptionPrice {
  readonly perDay?: Money;
  /** Whether the price of the rental isn't the price per day × `mostDays` or all days: taxes come on top, or a limit applies. */
  readonly isPerDayOnly?: boolean;
  readonly mostDays?: number;
  /** Price of the complete rental, including taxes on top. */
  readonly total?: Money;
  /** Whether a price per unit is stated, or one that may be per day. */
  readonly isStated?: boolean;
  /** Why there is no price, if an amount can't be read. */
  readonly problem?: UnreadableAmountError;
}

/**
 * What makes the price of an option for these days something else than days × price per day. A `MaxQuantity` may limit the days or the
 * pieces, which the supplier's file says: without it, the price is left out with a warning.
 */
export function limitsOf(
  charge: XmlNode,
  days: number,
  { form, warnings }: AmountContext,
  { maxQuantity: limits }: Pick<OtaOptions, 'maxQuantity'>,
): { readonly isPerDayOnly: boolean; readonly mostDays?: number } {
  const line = child(charge, 'Calculation');
  const units = decimalAttribute(line, 'Quantity', form) ?? days;
  const most = decimalAttribute(line, 'MaxQuantity', form);
  const isUnclear = most !== undefined && (limits === undefined ? most < units : !Number.isInteger(most));
  if (isUnclear && limits === undefined)
    warnings.add(
      'amount_rejected',
      'Set maxQuantity: does MaxQuantity limit the days or pieces of an option? Left out',
    );
  return {
    isPerDayOnly: isUnclear || hasTaxesOnTop(charge) || child(charge, 'MinMax') !== undefined,
    ...(limits === 'units' && most !== undefined && { mostDays: most }),
  };
}

/** How many pieces of an extra can be chosen. */
export function maxQuantityOf(
  charge: XmlNode | undefined,
  equipment: XmlNode | undefined,
  { maxQuantity: limits }: Pick<OtaOptions, 'maxQuantity'>,
): number {
  const most = limits === 'units' ? undefined : numberOf(child(charge, 'Calculation'), 'MaxQuantity');
  return Math.max(1, Math.floor(most ?? numberOf(equipment, 'Quantity') ?? 1));
}

/** The price of an option with its taxes. Throws UnreadableAmountError if a tax on top has no readable amount. */
export function withTaxes(net: Money, charge: XmlNode, context: AmountContext): Money {
  if (flag(charge, 'TaxInclusive') === true) return net;
  let { amountMinor } = net;
  for (const tax of items(charge, 'TaxAmounts', 'TaxAmount')) {
    const amount = ownAmount(tax, 'Total', context, charge);
    if (!amount) throw unstated('a tax on an option');
    amountMinor += amount.amountMinor;
  }
  return { amountMinor, currency: net.currency };
}

/**
 * Price of an option for the complete rental; for one that is due, also if only its daily price is stated
 * (docs/trade.md#charges-by-calculation).
 */
export function wholeOf(price: OptionPrice, isDue: boolean, days: number, pieces: number): Money | undefined {
  return (
    price.total ??
    (isDue && !price.problem && !price.isPerDayOnly
      ? multiple(price.perDay, Math.min(days, price.mostDays ?? days) * pieces)
      : undefined)
  );
}

/** An amount several times; undefined if there is none. */
export function multiple(amount: Money | undefined, count: number): Money | undefined {
  return amount && { amountMinor: amount.amountMinor * count, currency: amount.currency };
}
