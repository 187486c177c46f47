import { type Money, type MoneyForm, parseMoney, UnreadableAmountError } from '../../model/money.js';
import type { Warnings } from '../../model/warnings.js';
import { rowOf } from './table.js';
import { attribute, childrenNamed, type XmlNode } from './wire.js';

/** What reading the amounts of one offer needs: its currency and its warnings. */
export interface AmountContext {
  /** Currency of the total, ISO 4217; amounts without a currency are in it. */
  readonly currency: string;
  readonly warnings: Warnings;
  /** How the supplier writes amounts. */
  readonly form: MoneyForm | undefined;
  /** Cache of parsed amounts in this currency: the same few repeat for every car, and exact parsing is expensive. */
  readonly known: Map<string, Money | undefined>;
}

/**
 * An amount attribute; undefined if absent or (with a warning) in a different currency than the total. Throws
 * UnreadableAmountError for anything else that isn't an amount.
 */
export function amountAttribute(node: XmlNode | undefined, name: string, context: AmountContext): Money | undefined {
  const text = attribute(node, name);
  if (text === undefined) return undefined;
  if (leavesOutForeign(node, context)) return undefined;
  let amount = context.known.get(text);
  if (amount === undefined) {
    amount = parseMoney(text, context.currency, context.form);
    context.known.set(text, amount);
  }
  return amount;
}

/** Whether an element is in another currency than the total; if so, adds a warning. */
function leavesOutForeign(node: XmlNode | undefined, context: AmountContext): boolean {
  if (!isForeign(node, context)) return false;
  context.warnings.add(
    'amount_rejected',
    `${node?.name} in ${node?.attributes.CurrencyCode} left out of an offer in ${context.currency}`,
  );
  return true;
}

/** The context of amounts in one currency. */
export function amountContext(currency: string, form: MoneyForm | undefined, warnings: Warnings): AmountContext {
  return { currency, warnings, form, known: new Map() };
}

/**
 * How an amount was calculated, from its Calculation elements. `unitCharge` is set only for a single Calculation with a
 * unit price.
 */
export interface Calculated {
  readonly total?: Money;
  readonly unit: 'rental' | 'day' | 'week' | 'hour' | 'percent';
  readonly quantity: number;
  readonly unitCharge?: Money;
  /** Number of days covered, if all calculations are in weeks and days. */
  readonly days?: number;
  /** Why `total` is missing, if an amount that it depends on can't be read. */
  readonly unreadable?: UnreadableAmountError;
  /** Why `unitCharge` is missing. */
  readonly unreadableUnit?: UnreadableAmountError;
}

const UNITS: Readonly<Record<string, 'day' | 'week' | 'hour'>> = {
  Day: 'day',
  ExtraDay: 'day',
  Week: 'week',
  ExtraWeek: 'week',
  Hour: 'hour',
  ExtraHour: 'hour',
};
const DAYS_BY_UNIT: Readonly<Record<string, number>> = { day: 1, week: 7 };

const AS_RENTAL: Calculated = { unit: 'rental', quantity: 1 };

/**
 * Evaluates the Calculation elements of a charge (docs/trade.md#charges-by-calculation): unit × quantity per line,
 * rounded half up in minor units. Those of a charge in another currency than the total are left out with a warning.
 */
export function calculated(charge: XmlNode, context: AmountContext): Calculated {
  const lines = childrenNamed(charge, 'Calculation');
  const first = lines[0];
  if (!first) return AS_RENTAL;
  // The currency is in the charge. Its Amount has the same warning.
  if (isForeign(charge, context)) {
    if (attribute(charge, 'Amount') === undefined) leavesOutForeign(charge, context);
    return AS_RENTAL;
  }
  let amountMinor = 0;
  let complete = true;
  let days: number | undefined = 0;
  let unreadable: UnreadableAmountError | undefined;
  for (const line of lines) {
    const { amount, problem } = attempt(() => lineTotal(line, context));
    unreadable ??= problem;
    if (amount) amountMinor += amount.amountMinor;
    else complete = false;
    const perUnit = rowOf(DAYS_BY_UNIT, rowOf(UNITS, attribute(line, 'UnitName')));
    const quantity = numberOf(line, 'Quantity');
    if (days !== undefined && perUnit !== undefined && quantity !== undefined) days += perUnit * quantity;
    else if (attribute(line, 'UnitName') !== 'Hour') days = undefined;
  }
  const total = complete ? { amountMinor, currency: context.currency } : undefined;
  const wholeDays = days !== undefined && days > 0 ? Math.ceil(days) : undefined;
  if (lines.length > 1) return { total, unreadable, unit: 'rental', quantity: 1, days: wholeDays };
  const percentage = numberOf(first, 'Percentage');
  if (percentage !== undefined) return { total, unreadable, unit: 'percent', quantity: percentage };
  // A price per kilometer or day may have more decimals than its currency; the total of the charge decides.
  const { amount: unitCharge, problem: unreadableUnit } = attempt(() => amountAttribute(first, 'UnitCharge', context));
  return {
    total,
    unreadable: total ? undefined : unreadable,
    unreadableUnit,
    unit: rowOf(UNITS, attribute(first, 'UnitName')) ?? 'rental',
    quantity: numberOf(first, 'Quantity') ?? 1,
    unitCharge,
    days: wholeDays,
  };
}

function attempt(read: () => Money | undefined): {
  readonly amount?: Money | undefined;
  readonly problem?: UnreadableAmountError;
} {
  try {
    return { amount: read() };
  } catch (error) {
    if (error instanceof UnreadableAmountError) return { problem: error };
    throw error;
  }
}

function lineTotal(line: XmlNode, context: AmountContext): Money | undefined {
  const stated = amountAttribute(line, 'Total', context);
  if (stated) return stated;
  const unit = amountAttribute(line, 'UnitCharge', context);
  const quantity = numberOf(line, 'Quantity');
  return unit && quantity !== undefined
    ? { amountMinor: Math.round(unit.amountMinor * quantity), currency: unit.currency }
    : undefined;
}

/** Whether an amount states another currency than its offer's. */
export function isForeign(node: XmlNode | undefined, { currency }: AmountContext): boolean {
  const own = node?.attributes.CurrencyCode;
  if (own === undefined || own === currency) return false;
  const code = own.trim().toUpperCase();
  return code !== '' && code !== currency;
}

/** A plain number in an attribute; undefined if absent or not a number. */
export function numberOf(node: XmlNode | undefined, name: string): number | undefined {
  const text = attribute(node, name);
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}
