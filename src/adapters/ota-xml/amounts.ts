import { type Money, parseMoney } from '../../model/money.js';
import { rowOf } from './table.js';
import { attribute, childrenNamed, type XmlNode } from './wire.js';

/** Where amounts of one offer are read: its currency and the place for complaints. */
export interface AmountContext {
  /** Currency of the total, ISO 4217; amounts that name none are in it. */
  readonly currency: string;
  readonly warnings: string[];
  /** Amounts already read in this currency: the same few stand at every car, and reading one exactly is dear. */
  readonly known: Map<string, Money | undefined>;
}

/** An amount attribute; undefined when absent, not a decimal, or (with a warning) in another currency than the total. */
export function amountAttribute(node: XmlNode | undefined, name: string, context: AmountContext): Money | undefined {
  const text = attribute(node, name);
  if (text === undefined) return undefined;
  const own = node?.attributes.CurrencyCode;
  if (
    own !== undefined &&
    own !== context.currency &&
    own.trim().toUpperCase() !== context.currency &&
    own.trim() !== ''
  ) {
    context.warnings.push(`${node?.name} in ${own} left out of an offer in ${context.currency}`);
    return undefined;
  }
  let amount = context.known.get(text);
  if (amount === undefined) {
    amount = parseMoney(text, context.currency);
    context.known.set(text, amount);
  }
  return amount;
}

/** How an amount was made, from its Calculation elements. `unitCharge` is there only for one Calculation with a price a unit. */
export interface Calculated {
  readonly total?: Money;
  readonly unit: 'rental' | 'day' | 'week' | 'hour' | 'percent';
  readonly quantity: number;
  readonly unitCharge?: Money;
  /** Days that the calculations cover, when all are weeks and days. */
  readonly days?: number;
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

/** Evaluates the Calculation elements of a charge (docs/trade.md#charges-by-calculation): unit × quantity per line, rounded half up in minor units. */
export function calculated(charge: XmlNode, context: AmountContext): Calculated {
  const lines = childrenNamed(charge, 'Calculation');
  const first = lines[0];
  if (!first) return AS_RENTAL;
  let amountMinor = 0;
  let complete = true;
  let days: number | undefined = 0;
  for (const line of lines) {
    const amount = lineTotal(line, context);
    if (amount) amountMinor += amount.amountMinor;
    else complete = false;
    const perUnit = rowOf(DAYS_BY_UNIT, rowOf(UNITS, attribute(line, 'UnitName')));
    const quantity = numberOf(line, 'Quantity');
    if (days !== undefined && perUnit !== undefined && quantity !== undefined) days += perUnit * quantity;
    else if (attribute(line, 'UnitName') !== 'Hour') days = undefined;
  }
  const total = complete ? { amountMinor, currency: context.currency } : undefined;
  const wholeDays = days !== undefined && days > 0 ? Math.ceil(days) : undefined;
  if (lines.length > 1) return { total, unit: 'rental', quantity: 1, days: wholeDays };
  const percentage = numberOf(first, 'Percentage');
  if (percentage !== undefined) return { total, unit: 'percent', quantity: percentage };
  return {
    total,
    unit: rowOf(UNITS, attribute(first, 'UnitName')) ?? 'rental',
    quantity: numberOf(first, 'Quantity') ?? 1,
    unitCharge: amountAttribute(first, 'UnitCharge', context),
    days: wholeDays,
  };
}

function lineTotal(line: XmlNode, context: AmountContext): Money | undefined {
  const told = amountAttribute(line, 'Total', context);
  if (told) return told;
  const unit = amountAttribute(line, 'UnitCharge', context);
  const quantity = numberOf(line, 'Quantity');
  return unit && quantity !== undefined
    ? { amountMinor: Math.round(unit.amountMinor * quantity), currency: unit.currency }
    : undefined;
}

/** A plain number in an attribute; undefined when absent or not a number. */
export function numberOf(node: XmlNode | undefined, name: string): number | undefined {
  const text = attribute(node, name);
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}
