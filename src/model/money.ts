import currencyCodes from 'currency-codes';

/**
 * An amount of money in whole minor units (cents, yen, fils), so that sums are exact (docs/model.md#conventions: never floats).
 * `amountMinor` is a safe integer and may be negative (a discount); `currency` is an ISO 4217 code in capitals.
 */
export interface Money {
  readonly amountMinor: number;
  readonly currency: string;
}

const digitsByCurrency = new Map<string, number>(currencyCodes.data.map((row) => [row.code, row.digits]));

/** Whether `code` is a currency of ISO 4217, in capitals. */
export function isCurrency(code: string): boolean {
  return digitsByCurrency.has(code);
}

/** Digits after the point that ISO 4217 gives a currency (JPY 0, USD 2, KWD 3); 2 for a code it does not list. */
export function currencyDigits(currency: string): number {
  return digitsByCurrency.get(currency) ?? 2;
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/**
 * Reads a supplier's amount exactly, from decimal text or from a JSON number (whose shortest text is the number as sent).
 * More digits than the currency has are rounded half away from zero. Undefined when the value is absent, empty or no plain decimal.
 */
export function parseMoney(value: string | number | null | undefined, currency: string): Money | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number') {
    // Almost every number is a whole count of minor units over a power of ten: then no text is needed to read it exactly.
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

/** The decimal text of an amount with exactly the currency's digits: 25299 USD → "252.99", 500 JPY → "500", -5 USD → "-0.05". */
export function formatAmount(money: Money): string {
  const digits = currencyDigits(money.currency);
  if (digits === 0) return String(money.amountMinor);
  const sign = money.amountMinor < 0 ? '-' : '';
  const text = String(Math.abs(money.amountMinor)).padStart(digits + 1, '0');
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Sum of amounts of one currency; zero of `currency` for an empty list. Throws on a foreign currency: that would be a bug of ours. */
export function sumMoney(currency: string, amounts: readonly (Money | undefined)[]): Money {
  let amountMinor = 0;
  for (const amount of amounts) {
    if (!amount) continue;
    if (amount.currency !== currency) throw new Error(`cannot add ${amount.currency} to ${currency}`);
    amountMinor += amount.amountMinor;
  }
  return { amountMinor, currency };
}

/** `part` ÷ `count`, rounded half away from zero to a minor unit (a daily price from a total). `count` ≥ 1. */
export function divideMoney(money: Money, count: number): Money {
  return {
    amountMinor: Math.sign(money.amountMinor) * Math.round(Math.abs(money.amountMinor) / count),
    currency: money.currency,
  };
}
