import {
  currencyDigits,
  formatAmount,
  isCurrency,
  type Money,
  type MoneyForm,
  parseMoney,
  UnreadableAmountError,
} from '../../model/money.js';
import type { Warnings } from '../../model/warnings.js';
import { attribute, flag, type XmlNode } from './wire.js';

/** What reading the amounts of one offer needs: its currency and its warnings. */
export interface AmountContext {
  /** Currency of the total, ISO 4217; amounts without a currency are in it. */
  readonly currency: string;
  readonly warnings: Warnings;
  /** How the supplier writes amounts. */
  readonly form: MoneyForm | undefined;
  /** Cache of parsed amounts in this currency: the same few repeat for every car, and exact parsing is expensive. */
  readonly known: Map<string, Money>;
}

/**
 * An amount attribute; undefined if absent or (with a warning) in a different currency than the total. Throws
 * UnreadableAmountError for anything else that isn't an amount. A part of a charge, such as a Calculation, has the
 * DecimalPlaces of the `charge` unless it has its own.
 */
export function amountAttribute(
  node: XmlNode | undefined,
  name: string,
  context: AmountContext,
  charge?: XmlNode,
): Money | undefined {
  const text = attribute(node, name);
  if (text === undefined) return undefined;
  if (leavesOutForeign(node, context)) return undefined;
  let amount = context.known.get(text);
  if (amount === undefined) {
    amount = parsed(text, context.currency, context.form);
    context.known.set(text, amount);
  }
  refuseOtherPlaces(text, amount, placesOf(node) ?? placesOf(charge), context.form);
  return amount;
}

/** Like `amountAttribute`, for an amount that can't be left out: also throws if it is in another currency. */
export function ownAmount(
  node: XmlNode | undefined,
  name: string,
  context: AmountContext,
  charge?: XmlNode,
): Money | undefined {
  const text = attribute(node, name);
  if (text !== undefined && isForeign(node, context))
    throw new UnreadableAmountError(text, `of ${name} is not in ${context.currency}`);
  return amountAttribute(node, name, context, charge);
}

/** An amount attribute in a known currency; undefined if absent. Throws UnreadableAmountError like `amountAttribute`. */
export function amountIn(
  currency: string,
  node: XmlNode | undefined,
  name: string,
  form: MoneyForm | undefined,
): Money | undefined {
  const text = attribute(node, name);
  if (text === undefined) return undefined;
  const amount = parsed(text, currency, form);
  refuseOtherPlaces(text, amount, placesOf(node), form);
  return amount;
}

/** The amount, unless it is negative: throws UnreadableAmountError. */
export function notNegative(amount: Money | undefined, what: string): Money | undefined {
  if (amount && amount.amountMinor < 0) throw new UnreadableAmountError(formatAmount(amount), `of ${what} is negative`);
  return amount;
}

/** What decides whether a charge counts. */
const WHETHER = ['RequiredInd', 'IncludedInEstTotalInd', 'IncludedInRate'];
/** What decides also how often it does. */
const COUNTING = [...WHETHER, 'TaxInclusive'];

/**
 * Throws UnreadableAmountError if a charge states a flag, and not as true or false, that decides whether it counts, or, if it
 * `counts`, how often.
 */
export function refuseUnclear(charge: XmlNode | undefined, counts = true): void {
  for (const name of counts ? COUNTING : WHETHER) {
    const stated = attribute(charge, name);
    if (stated !== undefined && flag(charge, name) === undefined)
      throw new UnreadableAmountError(
        attribute(charge, 'Amount') ?? '',
        `has ${name} ${JSON.stringify(stated.slice(0, 40))}`,
      );
  }
}

/** The error for a total that needs an amount which isn't stated. */
export function unstated(what: string): UnreadableAmountError {
  return new UnreadableAmountError('', `of ${what} is not stated`);
}

function parsed(text: string, currency: string, form: MoneyForm | undefined): Money {
  const amount = parseMoney(text, currency, form);
  if (!amount) throw new UnreadableAmountError(text, 'is not a number');
  return amount;
}

function placesOf(node: XmlNode | undefined): string | undefined {
  return node?.attributes.DecimalPlaces === undefined ? undefined : attribute(node, 'DecimalPlaces');
}

/**
 * Refuses an amount whose DecimalPlaces may say something else than its text. With "2", OpenTravel means minor units if
 * the amount has no decimal point, but suppliers also state it along with "85" and "85.00": only the configured form
 * says that amounts are in minor units.
 */
function refuseOtherPlaces(
  text: string,
  { amountMinor, currency }: Money,
  places: string | undefined,
  form: MoneyForm | undefined,
): void {
  if (places === undefined || amountMinor === 0) return;
  const isClear =
    form?.minor === true
      ? places === String(currencyDigits(currency))
      : places === '0' || text.includes(form?.decimal ?? '.');
  if (!isClear)
    throw new UnreadableAmountError(text, `with DecimalPlaces ${JSON.stringify(places.slice(0, 9))} is unclear`);
}

/** Whether an element is in another currency than the total; if so, adds a warning. */
export function leavesOutForeign(node: XmlNode | undefined, context: AmountContext): boolean {
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
 * The context of an element outside of the total: amounts in the currency that it states, which needn't be that of the total. If
 * ISO 4217 doesn't have it, the same context, in which the element is foreign.
 */
export function outsideContext(node: XmlNode | undefined, context: AmountContext): AmountContext {
  if (!isForeign(node, context)) return context;
  const currency = attribute(node, 'CurrencyCode')?.toUpperCase() ?? '';
  return isCurrency(currency) ? amountContext(currency, context.form, context.warnings) : context;
}

/** Whether an amount states another currency than its offer's. */
export function isForeign(node: XmlNode | undefined, { currency }: AmountContext): boolean {
  const own = node?.attributes.CurrencyCode;
  if (own === undefined || own === currency) return false;
  const code = own.trim().toUpperCase();
  return code !== '' && code !== currency;
}

type Read = Money | UnreadableAmountError | undefined;

/**
 * What was stated before and again; an error if the amounts differ: they may be due at different times, or one may be wrong. An amount of zero adds
 * nothing to another one, as of several words for the same.
 */
export function onlyAmount(before: Read, next: Read): Read {
  if (before === undefined || next === undefined || next instanceof UnreadableAmountError) return next ?? before;
  if (before instanceof UnreadableAmountError || before.amountMinor === next.amountMinor) return before;
  if (before.amountMinor === 0 || next.amountMinor === 0) return next.amountMinor === 0 ? before : next;
  return new UnreadableAmountError(formatAmount(next), 'differs from one before it: which is due? Set purposeKinds');
}
