import { currencyDigits } from '../../model/money.js';

/** Units of a currency per US dollar. Fixed, so that secondary totals are the same in every run. */
const UNITS_PER_DOLLAR: Readonly<Record<string, number>> = {
  USD: 1,
  AED: 3.673,
  AUD: 1.52,
  BRL: 5.05,
  CAD: 1.36,
  CHF: 0.9,
  CNY: 7.2,
  DKK: 6.87,
  EUR: 0.92,
  GBP: 0.79,
  HKD: 7.82,
  INR: 83.2,
  JPY: 151,
  KWD: 0.308,
  MXN: 17.1,
  NOK: 10.7,
  NZD: 1.66,
  PLN: 3.97,
  SEK: 10.5,
  SGD: 1.35,
  THB: 36.4,
  TRY: 32.2,
  ZAR: 18.7,
};

/** Converts minor units of `from` to minor units of `to`; undefined if one of the currencies is not in the table. */
export function exchange(amountMinor: number, from: string, to: string): number | undefined {
  const sold = UNITS_PER_DOLLAR[from];
  const bought = UNITS_PER_DOLLAR[to];
  if (sold === undefined || bought === undefined) return undefined;
  return Math.round((amountMinor / 10 ** currencyDigits(from) / sold) * bought * 10 ** currencyDigits(to));
}
