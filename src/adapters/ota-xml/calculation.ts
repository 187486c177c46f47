import { type Money, type MoneyForm, UnreadableAmountError } from '../../model/money.js';
import { type AmountContext, isForeign, leavesOutForeign, ownAmount } from './amounts.js';
import { decimalAttribute, numberOf, percentOf, times } from './numbers.js';
import type { OtaOptions } from './options.js';
import { rowOf } from './table.js';
import { attribute, child, childrenNamed, type XmlNode } from './wire.js';

/**
 * How an amount was calculated, from its Calculation elements. `unitCharge` is set only for a single Calculation with a
 * unit price.
 */
export interface Calculated {
  readonly total?: Money;
  readonly unit: 'rental' | 'day' | 'week' | 'hour' | 'percent';
  readonly quantity: number;
  readonly unitCharge?: Money;
  /** Whether a single Calculation states its own Total. Absent means false. */
  readonly isTotalStated?: boolean;
  /** Number of days covered, if all calculations are in weeks and days. */
  readonly days?: number;
  /** Why `total` is missing, if an amount that it depends on can't be read. */
  readonly unreadable?: UnreadableAmountError;
  /** Why `unitCharge` is missing. */
  readonly unreadableUnit?: UnreadableAmountError;
}

/** By UnitName in lower case without spaces: suppliers also write "Daily" and "Extra hour". */
const UNITS: Readonly<Record<string, 'day' | 'week' | 'hour'>> = {
  day: 'day',
  daily: 'day',
  extraday: 'day',
  week: 'week',
  weekly: 'week',
  extraweek: 'week',
  hour: 'hour',
  hourly: 'hour',
  extrahour: 'hour',
};
/** Hours of each unit of time. */
export const UNIT_HOURS: Readonly<Record<string, number>> = { hour: 1, day: 24, week: 168 };

const DAYS_BY_UNIT: Readonly<Record<string, number>> = { day: 1, week: 7 };

/** Units of which a rental has one, unless a Quantity says otherwise. */
const ONCE: readonly string[] = ['RentalPeriod', 'Package', 'Bundle'];

const AS_RENTAL: Calculated = { unit: 'rental', quantity: 1 };

/**
 * Evaluates the Calculation elements of a charge (docs/trade.md#charges-by-calculation): unit × quantity per line,
 * rounded half up in minor units. Those of a charge in another currency than the total are left out with a warning.
 */
export function calculated(
  charge: XmlNode,
  context: AmountContext,
  options: Pick<OtaOptions, 'maxQuantity'>,
): Calculated {
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
    const { amount, problem } = attempt(() => lineTotal(line, charge, context, options));
    unreadable ??= problem;
    if (amount) amountMinor += amount.amountMinor;
    else complete = false;
    const unit = unitOf(line);
    const perUnit = rowOf(DAYS_BY_UNIT, unit);
    const quantity = perUnit === undefined ? undefined : numberOf(line, 'Quantity', context.form);
    if (days !== undefined && perUnit !== undefined && quantity !== undefined) days += perUnit * quantity;
    else if (unit !== 'hour') days = undefined;
  }
  const total = complete ? { amountMinor, currency: context.currency } : undefined;
  const wholeDays = days !== undefined && days > 0 ? Math.ceil(days) : undefined;
  if (lines.length > 1) return { total, unreadable, unit: 'rental', quantity: 1, days: wholeDays };
  const percentage = percentOf(first, 'Percentage', context.form);
  if (percentage !== undefined) return { total, unreadable, unit: 'percent', quantity: percentage };
  // A price per kilometer or day may have more decimals than its currency; the total of the charge decides.
  const { amount: unitCharge, problem: unreadableUnit } = attempt(() =>
    ownAmount(first, 'UnitCharge', context, charge),
  );
  return {
    total,
    unreadable: total ? undefined : unreadable,
    unreadableUnit,
    unit: unitOf(first) ?? 'rental',
    quantity: numberOf(first, 'Quantity', context.form) ?? 1,
    unitCharge,
    isTotalStated: attribute(first, 'Total') !== undefined,
    days: wholeDays,
  };
}

/**
 * Whether a Calculation states the price of one unit, which isn't the `amount` of its charge: taxes may be on top, or it doesn't count the units of
 * the rental.
 */
export function isPriceOfUnit({ quantity, unitCharge }: Calculated, amount: Money | undefined): boolean {
  return quantity === 1 && unitCharge !== undefined && amount?.amountMinor !== unitCharge.amountMinor;
}

/** Whether a Calculation counts units of time. */
export function isOfTime(line: XmlNode): boolean {
  return unitOf(line) !== undefined;
}

function unitOf(line: XmlNode): 'day' | 'week' | 'hour' | undefined {
  return rowOf(UNITS, attribute(line, 'UnitName')?.replaceAll(/\s/g, '').toLowerCase());
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

/** Undefined if the line states no amount for its quantity, as a price per day, week or hour alone. */
function lineTotal(
  line: XmlNode,
  charge: XmlNode,
  context: AmountContext,
  options: Pick<OtaOptions, 'maxQuantity'>,
): Money | undefined {
  const stated = ownAmount(line, 'Total', context, charge);
  if (stated) return stated;
  const unit = ownAmount(line, 'UnitCharge', context, charge);
  return timesUnits(unit, line, charge, context.form, options);
}

/**
 * The price of one unit × the Quantity of a Calculation. Undefined if it states none, is a percentage of something, or the charge limits the
 * product (MinMax, MaxQuantity).
 */
export function timesUnits(
  unit: Money | undefined,
  line: XmlNode,
  charge: XmlNode,
  form: MoneyForm | undefined,
  { maxQuantity: limits }: Pick<OtaOptions, 'maxQuantity'>,
): Money | undefined {
  const isOnce = ONCE.includes(attribute(line, 'UnitName') ?? '');
  const quantity = decimalAttribute(line, 'Quantity', form) ?? (isOnce ? 1 : undefined);
  if (!unit || quantity === undefined || attribute(line, 'Percentage') !== undefined) return undefined;
  const most = decimalAttribute(line, 'MaxQuantity', form) ?? quantity;
  if (child(charge, 'MinMax') || (quantity > most && limits === undefined)) return undefined;
  return times(unit, limits === 'units' ? Math.min(quantity, most) : quantity);
}
