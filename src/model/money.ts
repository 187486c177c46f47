import currencyCodes from 'currency-codes';
import type { Warnings } from './warnings.js';

/**
 * An amount of money in minor units (cents, yen, fils), so that sums are exact (docs/model.md#conventions: never
 * floats). `amountMinor` is a safe integer, negative for a discount; `currency` is an ISO 4217 code in capitals.
 */
export interface Money {
  readonly amountMinor: number;
  readonly currency: string;
}

/** ISO 4217 codes of what isn't used for payments: metals, bond units, drawing rights, tests, "no currency". */
const NOT_PAID = /^X(?:A[GU]|B[ABCD]|DR|P[DT]|SU|TS|UA|XX)$/;

const digitsByCurrency = new Map<string, number>([
  ...currencyCodes.data.flatMap(({ code, digits }): [string, number][] =>
    NOT_PAID.test(code) ? [] : [[code, digits]],
  ),
  // ISO 4217 since March 2025 (Curaçao, Sint Maarten) and September 2024 (Zimbabwe); the package is older.
  ['XCG', 2],
  ['ZWG', 2],
]);

/** Whether `code` is the ISO 4217 code of a currency, in capitals. */
export function isCurrency(code: string): boolean {
  return digitsByCurrency.has(code);
}

/** Number of decimals of a currency in ISO 4217 (JPY 0, USD 2, KWD 3); 2 for unknown codes. */
export function currencyDigits(currency: string): number {
  return digitsByCurrency.get(currency) ?? 2;
}

/** How a supplier writes amounts as text (docs/rest-manifest.md#amounts). */
export interface MoneyForm {
  /** Between groups of three digits; absent = numbers aren't grouped. A space may be a no-break space. */
  readonly thousands?: '.' | ',' | ' ' | "'" | undefined;
  /** Default: a point. */
  readonly decimal?: '.' | ',' | undefined;
  /** Amounts are whole numbers of minor units, as text or as JSON numbers. */
  readonly minor?: boolean | undefined;
}

/**
 * An amount is present but can't be read without guessing. What depends on it must not be shown: the engine treats the
 * error as `bad_payload`, so a mapping with several rows catches it per row.
 */
export class UnreadableAmountError extends Error {
  /** The message names the reason and quotes the amount, of which a supplier controls up to 40 characters. */
  constructor(value: string | number, reason: string) {
    super(`the amount ${typeof value === 'number' ? value : JSON.stringify(value.slice(0, 40))} ${reason}`);
    this.name = 'UnreadableAmountError';
  }
}

/** Sums of binary fractions are off by less than this share of a major unit. */
const FLOAT_NOISE = 1e-6;
const MOST_CHARACTERS = 40;
/** Before the decimals of a number that isn't an amount. */
const MOST_DIGITS = 9;

/**
 * Parses an amount exactly, from text or from a JSON number. Undefined if there is none: the value is absent, or text
 * without a digit. Throws UnreadableAmountError for anything else that isn't an amount in its currency: more decimals
 * than the currency has (zeros apart), text that `form` doesn't allow, and, without a `form`, a group of three digits
 * that may be decimals or thousands ("1.000"). Of JSON numbers only the noise of binary fractions is rounded.
 */
export function parseMoney(
  value: string | number | null | undefined,
  currency: string,
  form?: MoneyForm,
): Money | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number') return ofNumber(value, currency, form?.minor === true);
  if (!/\d/.test(value)) return undefined;
  const text = value.trim();
  if (text.length > MOST_CHARACTERS)
    throw new UnreadableAmountError(text, `has more than ${MOST_CHARACTERS} characters`);
  const match = patternOf(form).exec(text);
  if (!match) throw new UnreadableAmountError(text, `is not written as ${describeForm(form)}`);
  const [, sign, grouped = '0', fraction = ''] = match;
  const digits = form?.minor ? 0 : currencyDigits(currency);
  if (/[1-9]/.test(fraction.slice(digits)))
    throw new UnreadableAmountError(text, `has more than the ${digits} decimals of ${currency}`);
  if (form === undefined && fraction.length === 3 && digits < 3 && /^[1-9]\d{0,2}$/.test(grouped))
    throw new UnreadableAmountError(text, 'has three digits that may be decimals or thousands');
  const whole = grouped.replace(/\D/g, '');
  return signed(sign === '-', Number(whole + fraction.slice(0, digits).padEnd(digits, '0')), text, currency);
}

/**
 * A number that isn't an amount (a quantity, a percentage), in the notation of the supplier's amounts. Undefined unless it
 * is one, isn't negative and is below a billion.
 */
export function parseDecimal(text: string, form?: MoneyForm): number | undefined {
  // Most are small whole numbers.
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const [, sign, grouped = '', fraction = ''] =
    (text.length <= MOST_CHARACTERS && decimalPatternOf(form).exec(text)) || [];
  const whole = grouped.replace(/\D/g, '');
  return sign === undefined || sign === '-' || whole.length > MOST_DIGITS ? undefined : Number(`${whole}.${fraction}`);
}

/** Without the supplier's notation, "7.000" may be seven or seven thousand, as in amounts. */
const MAY_BE_THOUSANDS = /^\+?[1-9]\d{0,2}\.\d{3}$/;

/** Like `parseDecimal`; also undefined if the notation doesn't say what a point before three digits means. */
export function parseQuantity(text: string, form?: MoneyForm): number | undefined {
  const isUnsaid = form === undefined || (form.minor === true && form.thousands === undefined);
  return isUnsaid && MAY_BE_THOUSANDS.test(text) ? undefined : parseDecimal(text, form);
}

/** An amount that can be left out: undefined, with a warning that begins with `what`, if it can't be read. */
export function optionalAmount(read: () => Money | undefined, warnings: Warnings, what: string): Money | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnreadableAmountError)) throw error;
    warnings.add('amount_rejected', `${what}: ${error.message}: left out`);
    return undefined;
  }
}

/** Parses the decimal text of a caller. Surplus decimals are rounded half away from zero; undefined if it isn't one. */
export function roundedMoney(text: string, currency: string): Money | undefined {
  const match = /^([+-]?)(\d{1,15})(?:\.(\d{1,15}))?$/.exec(text.trim());
  if (!match) return undefined;
  const digits = currencyDigits(currency);
  const fraction = (match[3] ?? '').padEnd(digits, '0');
  let amountMinor = Number((match[2] ?? '0') + fraction.slice(0, digits));
  if (fraction.charCodeAt(digits) >= 53) amountMinor += 1;
  if (!Number.isSafeInteger(amountMinor)) return undefined;
  return { amountMinor: match[1] === '-' && amountMinor !== 0 ? -amountMinor : amountMinor, currency };
}

function ofNumber(value: number, currency: string, isMinor: boolean): Money {
  const scale = isMinor ? 1 : 10 ** currencyDigits(currency);
  const amountMinor = Math.round(value * scale);
  const isExact = amountMinor / scale === value || (!isMinor && Math.abs(amountMinor / scale - value) < FLOAT_NOISE);
  if (Number.isSafeInteger(amountMinor) && isExact) return { amountMinor: amountMinor + 0, currency };
  throw new UnreadableAmountError(
    value,
    isMinor
      ? 'is not a whole number of minor units'
      : `is not a number with the ${currencyDigits(currency)} decimals of ${currency}`,
  );
}

function signed(isNegative: boolean, amountMinor: number, text: string, currency: string): Money {
  if (!Number.isSafeInteger(amountMinor)) throw new UnreadableAmountError(text, 'is too large');
  return { amountMinor: isNegative && amountMinor !== 0 ? -amountMinor : amountMinor, currency };
}

const PLAIN = /^([+-]?)(\d+)(?:\.(\d+))?$/;
const patterns = new WeakMap<MoneyForm, RegExp>();
const decimalPatterns = new WeakMap<MoneyForm, RegExp>();

/** Sign, integer part with its separators, and decimals. A grouping supplier may leave the separators out. */
function patternOf(form: MoneyForm | undefined): RegExp {
  return form === undefined ? PLAIN : cachedPattern(form, patterns, form.minor === true);
}

/** As `patternOf`, for numbers that are never in minor units. */
function decimalPatternOf(form: MoneyForm | undefined): RegExp {
  return form === undefined ? PLAIN : cachedPattern(form, decimalPatterns, false);
}

function cachedPattern(form: MoneyForm, cache: WeakMap<MoneyForm, RegExp>, minor: boolean): RegExp {
  const known = cache.get(form);
  if (known) return known;
  const { thousands, decimal = '.' } = form;
  const between = thousands === ' ' ? '[ \\u00a0\\u202f]' : `[${thousands}]`;
  const whole = thousands === undefined ? '\\d+' : `[1-9]\\d{0,2}(?:${between}\\d{3})+|\\d+`;
  const pattern = new RegExp(`^([+-]?)(${whole})${minor ? '' : `(?:[${decimal}](\\d+))?`}$`);
  cache.set(form, pattern);
  return pattern;
}

/** An example of what the form allows. */
function describeForm(form: MoneyForm | undefined): string {
  const { thousands = '', decimal = '.', minor } = form ?? {};
  return minor ? `123${thousands}456 minor units` : `1${thousands}234${decimal}56`;
}

/** An amount in the form in which a supplier writes them, without grouping; as formatAmount without a form. */
export function writtenAmount(money: Money, form: MoneyForm | undefined): string {
  if (form?.minor === true) return String(money.amountMinor);
  const text = formatAmount(money);
  return form?.decimal === ',' ? text.replace('.', ',') : text;
}

/** Formats an amount with the decimals of its currency: 25299 USD → "252.99", 500 JPY → "500", -5 USD → "-0.05". */
export function formatAmount(money: Money): string {
  const digits = currencyDigits(money.currency);
  if (digits === 0) return String(money.amountMinor);
  const sign = money.amountMinor < 0 ? '-' : '';
  const text = String(Math.abs(money.amountMinor)).padStart(digits + 1, '0');
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/**
 * Adds amounts in one currency; an empty list gives zero. Throws if an amount has another currency, which is a bug in
 * the caller.
 */
export function sumMoney(currency: string, amounts: readonly (Money | undefined)[]): Money {
  let amountMinor = 0;
  for (const amount of amounts) {
    if (!amount) continue;
    if (amount.currency !== currency) throw new Error(`cannot add ${amount.currency} to ${currency}`);
    amountMinor += amount.amountMinor;
  }
  return { amountMinor, currency };
}

/**
 * Divides an amount by `count` (at least 1), rounded half away from zero to a minor unit, for example a total to a
 * daily price.
 */
export function divideMoney(money: Money, count: number): Money {
  return {
    amountMinor: Math.sign(money.amountMinor) * Math.round(Math.abs(money.amountMinor) / count),
    currency: money.currency,
  };
}
