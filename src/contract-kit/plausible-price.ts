import { currencyDigits } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import { must } from './breach.js';
import type { ContractCase } from './case.js';

/*
 * Amounts that are wrong by a power of ten (docs/contract-kit.md): thousands read as decimals, minor
 * units read as major ones.
 */

/** Units of a currency for one US dollar, roughly; an error of a third does no harm. Our own data. */
const PER_USD: Readonly<Record<string, number>> = {
  ...{ AED: 3.7, ARS: 1_200, AUD: 1.5, BGN: 1.7, BHD: 0.38, BRL: 5.5, CAD: 1.4, CHF: 0.85, CLP: 950, CNY: 7.2 },
  ...{ COP: 4_100, CRC: 510, CZK: 22, DKK: 6.6, EGP: 49, EUR: 0.9, GBP: 0.77, HKD: 7.8, HUF: 355, IDR: 16_000 },
  ...{ ILS: 3.6, INR: 86, ISK: 132, JOD: 0.71, JPY: 150, KRW: 1_400, KWD: 0.31, LKR: 300, MAD: 9.5, MXN: 19 },
  ...{ MYR: 4.3, NOK: 10.6, NZD: 1.7, OMR: 0.38, PEN: 3.7, PHP: 57, PLN: 3.8, QAR: 3.6, RON: 4.5, RSD: 105 },
  ...{ SAR: 3.75, SEK: 10, SGD: 1.3, THB: 34, TND: 3.1, TRY: 40, TWD: 31, USD: 1, UYU: 41, VND: 25_500, ZAR: 18 },
};

/** US dollars per day of a small car. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

/**
 * For bronze, wide enough for an expensive season. They are less than a factor of a hundred apart, so that an amount within
 * them is outside as soon as it is wrong by a hundred.
 */
export const SEARCHED: Bounds = { least: 4, most: 380 };

/** From silver on: less than a factor of ten apart, so that an amount is outside as soon as it is wrong by ten. */
export const PRICED: Bounds = { least: 12, most: 119 };

/** ACRISS categories from mini to intermediate. */
const SMALL = /^[MNEHCDIJ]/;

/**
 * The median price per day of the small cars in US dollars, or of all cars if none is known to be small. Undefined
 * without an offer in a listed currency.
 */
function medianPerDay(offers: readonly SupplierOffer[]): number | undefined {
  const small = offers.filter(({ vehicle }) => SMALL.test(vehicle.sippCode ?? ''));
  const prices = (small.length > 0 ? small : offers)
    .flatMap(({ price, rentalDays }) => {
      const rate = PER_USD[price.total.currency];
      const major = price.total.amountMinor / 10 ** currencyDigits(price.total.currency);
      return rate === undefined ? [] : [major / rate / Math.max(1, rentalDays)];
    })
    .sort((one, other) => one - other);
  return prices[Math.floor(prices.length / 2)];
}

/** Throws a Breach if the median price per day is out of bounds; several cars decide, so that one bargain doesn't. */
export function judgeMagnitude(offers: readonly SupplierOffer[], { least, most }: Bounds): void {
  const perDay = medianPerDay(offers);
  must(
    perDay === undefined || (perDay >= least && perDay <= most),
    `the median price of a small car is about ${perDay?.toPrecision(2)} USD per day; expected ${least} to ${most}: check how amounts are written (money)`,
  );
}

export const PRICE_CASES: readonly ContractCase[] = [
  {
    id: 'plausible_price',
    guarantee: 'the prices of small cars have a plausible order of magnitude for their currency',
    operations: ['searchVehicles', 'priceCheck'],
    // A price check prices the offers of the search (same_offer), so these decide for both.
    run: async (bench, operation) =>
      judgeMagnitude(await bench.subject.offers(), operation === 'priceCheck' ? PRICED : SEARCHED),
  },
];
