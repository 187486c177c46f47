import { type Money, type MoneyForm, UnreadableAmountError } from '../../model/money.js';
import {
  type AmountContext,
  amountAttribute,
  isForeign,
  notNegative,
  outsideContext,
  ownAmount,
  unstated,
} from './amounts.js';
import { type Calculated, calculated, timesUnits, UNIT_HOURS } from './calculation.js';
import { hasTaxesOnTop } from './charge-mapping.js';
import { decimalAttribute, numberOf } from './numbers.js';
import type { OtaOptions } from './options.js';
import type { OptionDays } from './rental-days.js';
import { rowOf } from './table.js';
import { attribute, child, childrenNamed, flag, items, type XmlNode } from './wire.js';

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

/** No price is stated. */
export const NO_PRICE: OptionPrice = {};
/** One is stated, but not what it is for. */
export const UNCLEAR_PRICE: OptionPrice = { isStated: true };

/**
 * The price of an option, in the currency that it states. Amount is for the complete rental, and a single daily Calculation gives the daily price. A
 * text about days, or a Calculation that counts them without a price for one, may say that Amount is a daily price (a common mistake of suppliers), or
 * explain how it was made: then it has no price, unless the supplier's file says which.
 */
export function optionPrice(
  charge: XmlNode | undefined,
  offer: AmountContext,
  options: OtaOptions,
  optionDays: OptionDays,
): OptionPrice {
  if (!charge) return NO_PRICE;
  const { days } = optionDays;
  const context = outsideContext(charge, offer);
  if (isForeign(charge, context)) {
    const problem = `of an option is not in ${context.currency}`;
    return { problem: new UnreadableAmountError(attribute(charge, 'Amount') ?? '', problem) };
  }
  try {
    const amount = notNegative(amountAttribute(charge, 'Amount', context), 'an option');
    const calculation = calculated(charge, context, options);
    const perDay = calculation.unit === 'day' ? notNegative(calculation.unitCharge, 'an option') : undefined;
    const text = attribute(charge, 'Description') ?? '';
    // An amount of 0 is free for each unit as well.
    const isCharged = amount !== undefined && amount.amountMinor !== 0;
    if (isCharged && !perDay && options.describedPerDay !== 'rental' && /per day|daily/i.test(text)) {
      if (options.describedPerDay === 'day')
        return { perDay: amount, isStated: true, ...limitsOf(charge, days, context, options) };
      context.warnings.add('amount_rejected', `${text}: for a day or the rental? Set describedPerDay: left out`);
      return UNCLEAR_PRICE;
    }
    if (isCharged && options.countedUnits !== 'rental' && isPerUnit(calculation, days)) {
      if (options.countedUnits === 'unit')
        return pricedPerUnit(amount, calculation.unit, charge, context, options, days);
      context.warnings.add('amount_rejected', `${text || charge.name}: ${UNCLEAR_UNITS}`);
      return UNCLEAR_PRICE;
    }
    const net = amount ?? notNegative(calculation.total, 'an option');
    const reads = readingOf(calculation, charge, optionDays, context.form, options);
    // An Amount that only repeats the price of one day may be for that day.
    const isOfDay = reads === 'price' && calculation.unit === 'day' && calculation.quantity === 1;
    const isRepeated = isOfDay && amount?.amountMinor === calculation.total?.amountMinor;
    const ofAmount = isRepeated ? options.fewerUnits : 'charged';
    const reading = amount ? ofAmount : reads;
    if (net && reading === 'charged') return { perDay, total: withTaxes(net, charge, context) };
    if (net && reading === undefined) {
      context.warnings.add('amount_rejected', `${text || charge.name}: ${UNCLEAR_QUANTITY}`);
      return { perDay, isStated: true, isPerDayOnly: true };
    }
    const isStated = calculation.unitCharge !== undefined;
    return { perDay, isStated, ...limitsOf(charge, days, context, options), problem: calculation.unreadable };
  } catch (error) {
    if (error instanceof UnreadableAmountError) return { problem: error };
    throw error;
  }
}

const UNCLEAR_UNITS = 'for each unit of its Calculation or the rental? Set countedUnits: left out';

const UNCLEAR_QUANTITY = 'for the units of its Calculation, or a price for one? Set fewerUnits: left out';

/** Whether a Calculation counts several units of time without a price for one, so that the Amount may be for each. */
function isPerUnit({ unit, quantity, unitCharge, total, unreadableUnit }: Calculated, days: number): boolean {
  const unitHours = rowOf(UNIT_HOURS, unit);
  if (unitHours === undefined || (unitCharge ?? total ?? unreadableUnit) !== undefined) return false;
  return quantity !== 1 || unitHours < days * 24;
}

/**
 * What unit × Quantity of a Calculation without an Amount is: all that is `charged`, or, for a single day that doesn't cover those of the rental, the
 * `price` of one, which suppliers also write without a Quantity. Undefined if nothing says which: the supplier's file is asked for nothing else.
 */
function readingOf(
  { unit, quantity, total, isTotalStated }: Calculated,
  charge: XmlNode,
  { days, least }: OptionDays,
  form: MoneyForm | undefined,
  { fewerUnits, maxQuantity }: Pick<OtaOptions, 'fewerUnits' | 'maxQuantity'>,
): OtaOptions['fewerUnits'] {
  const unitHours = rowOf(UNIT_HOURS, unit);
  if (unitHours === undefined || isTotalStated || total?.amountMinor === 0) return 'charged';
  const hours = unitHours * quantity;
  if (hours >= days * 24) return 'charged';
  // Not a single one: several suppliers write their price so.
  const most =
    maxQuantity === 'units' && quantity > 1
      ? decimalAttribute(child(charge, 'Calculation'), 'MaxQuantity', form)
      : undefined;
  if (most !== undefined && quantity >= most) return 'charged';
  const isEnough = hours >= least * 24;
  const isSingleDay = quantity === 1 && unit === 'day';
  if (isEnough && (quantity !== 1 || unit === 'week')) return 'charged';
  return fewerUnits ?? (isSingleDay && !isEnough ? 'price' : undefined);
}

/** The price of an option whose Amount is for each unit of its Calculation. */
function pricedPerUnit(
  amount: Money,
  unit: Calculated['unit'],
  charge: XmlNode,
  context: AmountContext,
  options: OtaOptions,
  days: number,
): OptionPrice {
  const perDay = unit === 'day' ? amount : undefined;
  const [line] = childrenNamed(charge, 'Calculation');
  const net = line && timesUnits(amount, line, charge, context.form, options);
  if (net) return { perDay, total: withTaxes(net, charge, context) };
  return { perDay, isStated: true, ...limitsOf(charge, days, context, options) };
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
  // A Quantity of one may be a price, which is charged for all days.
  const units = Math.max(decimalAttribute(line, 'Quantity', form) ?? 0, days);
  const most = decimalAttribute(line, 'MaxQuantity', form);
  const isUnclear = most !== undefined && (limits === undefined ? most < units : !Number.isInteger(most));
  if (isUnclear && limits === undefined)
    warnings.add(
      'amount_rejected',
      'Left out the price of an option: set maxQuantity to say whether MaxQuantity limits days or pieces',
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

/**
 * Whether the price of several pieces is only the price per day × days, stated or not: it may be that of one, or its price per day that of all. Their
 * number may also be in the days.
 */
export function isOfOnePiece(
  { total, perDay, isPerDayOnly, problem }: OptionPrice,
  charge: XmlNode | undefined,
  pieces: number,
  days: number,
): boolean {
  if (pieces === 1 || !perDay?.amountMinor) return false;
  if (!total) return !isPerDayOnly && !problem;
  if (total.amountMinor === 0) return false;
  const units = total.amountMinor / perDay.amountMinor;
  const stated = numberOf(child(charge, 'Calculation'), 'Quantity');
  return units !== days * pieces && (units === days || units === stated);
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
 * Price of an option for the complete rental; for one that is due, even if only its daily price is stated
 * (docs/trade.md#charges-by-calculation). It is for as many pieces as the daily price.
 */
export function wholeOf(price: OptionPrice, isDue: boolean, days: number): Money | undefined {
  return (
    price.total ??
    (isDue && !price.problem && !price.isPerDayOnly
      ? multiple(price.perDay, Math.min(days, price.mostDays ?? days))
      : undefined)
  );
}

/** An amount several times; undefined if there is none. */
export function multiple(amount: Money | undefined, count: number): Money | undefined {
  return amount && { amountMinor: amount.amountMinor * count, currency: amount.currency };
}
