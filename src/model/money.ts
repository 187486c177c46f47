import currencyCodes from 'currency-codes';

/**
 * An amount of money in minor units (cents, yen, fils), so that sums are exact (docs/model.md#conventions: never
 * floats). `amountMinor` is a safe integer, negative for a discount; `currency` is an ISO 4217 code in capitals.
 */
export interface Money {
  readonly amountMinor: number;
  readonly currency: string;
}

const digitsByCurrency = new Map<string, number>(currencyCodes.data.map((row) => [row.code, row.digits]));

/** Whether `code` is an ISO 4217 currency code in capitals. */
export function isCurrency(code: string): boolean {
  return digitsByCurrency.has(code);
}

/** Number of decimals of a currency in ISO 4217 (JPY 0, USD 2, KWD 3); 2 for unknown codes. */
export function currencyDigits(currency: string): number {
  return digitsByCurrency.get(currency) ?? 2;
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/**
 * Parses a supplier's amount exactly, from decimal text or from a JSON number (whose shortest text is the number as
 * sent). Surplus decimals are rounded half away from zero. Undefined if the value is absent, empty or not a plain
 * decimal.
 */
export function parseMoney(value: string | number | null | undefined, currency: string): Money | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number') {
    // Fast path without text: almost every number is an integer of minor units divided by a power of ten.
    const scale = 10 ** currencyDigits(currency);
    const whole = Math.round(value * scale);
    if (Number.isSafeInteger(whole) && whole / scale === value) return { amountMinor: whole + 0, currency };
  }
  const text = typeof value === 'number' ? plainDecimal(value) : value.trim();
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const digits = currencyDigits(currency);
  const fraction = (match[3] ?? '').padEnd(digits, '0');
  let minor = Number((match[2] ?? '0') + fraction.slice(0, digits));
  if (fraction.charCodeAt(digits) >= 53) minor += 1;
  if (!Number.isSafeInteger(minor)) return undefined;
  return { amountMinor: match[1] === '-' && minor !== 0 ? -minor : minor, currency };
}

function plainDecimal(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(12) : text;
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
