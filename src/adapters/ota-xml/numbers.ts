import { type Money, type MoneyForm, parseDecimal, parseQuantity, UnreadableAmountError } from '../../model/money.js';
import { attribute, type XmlNode } from './wire.js';

/**
 * A number that an amount or a deadline depends on, in the notation of the supplier's amounts; undefined if absent. Throws
 * UnreadableAmountError for anything else, negative numbers included.
 */
export function decimalAttribute(
  node: XmlNode | undefined,
  name: string,
  form: MoneyForm | undefined,
): number | undefined {
  const text = attribute(node, name);
  if (text === undefined) return undefined;
  const value = parseQuantity(text, form);
  if (value === undefined) throw new UnreadableAmountError(text, `of ${name} is not a number that is read exactly`);
  return value;
}

/** Like `decimalAttribute`, for a percentage from 0 to 100. Three decimals aren't ambiguous there. */
export function percentAttribute(
  node: XmlNode | undefined,
  name: string,
  form: MoneyForm | undefined,
): number | undefined {
  const text = attribute(node, name);
  const value = percentOf(node, name, form);
  if (text !== undefined && value === undefined)
    throw new UnreadableAmountError(text, `of ${name} is not a percentage from 0 to 100`);
  return value;
}

/** A percentage that only explains an amount; undefined if absent or unreadable. */
export function percentOf(node: XmlNode | undefined, name: string, form: MoneyForm | undefined): number | undefined {
  const text = attribute(node, name);
  const value = text === undefined ? undefined : parseDecimal(text, form);
  return value !== undefined && value <= 100 ? value : undefined;
}

/** A number that no price depends on, such as an age or a distance; undefined if absent or unreadable. */
export function numberOf(node: XmlNode | undefined, name: string, form?: MoneyForm): number | undefined {
  const text = attribute(node, name);
  return text === undefined ? undefined : parseQuantity(text, form);
}

/** `factor` × an amount, rounded half up in minor units. Throws UnreadableAmountError if it is too large. */
export function times({ amountMinor, currency }: Money, factor: number): Money {
  const product = amountMinor * factor;
  // 15 digits are exact; those behind them are the noise of binary fractions.
  const rounded = Number.isInteger(factor) ? product : Math.round(Number(product.toPrecision(15)));
  if (!Number.isSafeInteger(rounded)) throw new UnreadableAmountError(rounded, 'is too large');
  return { amountMinor: rounded, currency };
}
