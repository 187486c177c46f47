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
  ...{ AED: 3.7, ALL: 90, AMD: 390, AOA: 915, ARS: 1_200, AUD: 1.5, AWG: 1.8, AZN: 1.7, BAM: 1.8, BBD: 2, BDT: 120 },
  ...{ BGN: 1.7, BHD: 0.38, BMD: 1, BND: 1.3, BOB: 6.9, BRL: 5.5, BSD: 1, BWP: 13.6, BYN: 3.2, BZD: 2, CAD: 1.4 },
  ...{ CHF: 0.85, CLP: 950, CNY: 7.2, COP: 4_100, CRC: 510, CVE: 101, CZK: 22, DKK: 6.6, DOP: 60, DZD: 132, EGP: 49 },
  ...{ ETB: 130, EUR: 0.9, FJD: 2.3, GBP: 0.77, GEL: 2.75, GHS: 12, GIP: 0.77, GTQ: 7.7, GYD: 209, HKD: 7.8 },
  ...{ HNL: 26, HUF: 355, IDR: 16_000, ILS: 3.6, INR: 86, IQD: 1_310, ISK: 132, JMD: 158, JOD: 0.71, JPY: 150 },
  ...{ KES: 129, KGS: 87, KHR: 4_050, KRW: 1_400, KWD: 0.31, KYD: 0.83, KZT: 510, LAK: 21_700, LKR: 300, LYD: 5.2 },
  ...{ MAD: 9.5, MDL: 17.5, MGA: 4_500, MKD: 56, MMK: 2_100, MNT: 3_500, MOP: 8, MUR: 45.5, MVR: 15.4, MXN: 19 },
  ...{ MYR: 4.3, MZN: 64, NAD: 18, NGN: 1_550, NIO: 36.7, NOK: 10.6, NPR: 137, NZD: 1.7, OMR: 0.38, PAB: 1 },
  ...{ PEN: 3.7, PGK: 4.1, PHP: 57, PKR: 281, PLN: 3.8, PYG: 7_500, QAR: 3.6, RON: 4.5, RSD: 105, RWF: 1_430 },
  ...{ SAR: 3.75, SCR: 14.5, SEK: 10, SGD: 1.3, SRD: 37, SZL: 18, THB: 34, TJS: 10.5, TND: 3.1, TRY: 40, TTD: 6.8 },
  ...{ TWD: 31, TZS: 2_600, UAH: 41.5, UGX: 3_650, USD: 1, UYU: 41, UZS: 12_700, VND: 25_500, XAF: 590, XCD: 2.7 },
  ...{ XCG: 1.8, XOF: 590, XPF: 108, ZAR: 18, ZMW: 25 },
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
 * The median price per day of the small cars in US dollars, or of all cars if none is known to be small. Throws a Breach
 * for a currency that isn't listed, because nothing is known about its prices, and without an offer.
 */
function medianPerDay(offers: readonly SupplierOffer[]): number {
  const small = offers.filter(({ vehicle }) => SMALL.test(vehicle.sippCode ?? ''));
  const prices = (small.length > 0 ? small : offers).map(pricePerDay).sort((one, other) => one - other);
  const median = prices[Math.floor(prices.length / 2)];
  must(median !== undefined, 'found no car whose price could be judged');
  return median;
}

function pricePerDay({ price: { total }, rentalDays }: SupplierOffer): number {
  const rate = PER_USD[total.currency];
  must(
    rate !== undefined,
    `the kit knows no rate for ${total.currency}: add the units for one US dollar to PER_USD in src/contract-kit/plausible-price.ts`,
  );
  return total.amountMinor / 10 ** currencyDigits(total.currency) / rate / Math.max(1, rentalDays);
}

/** Throws a Breach if the median price per day is out of bounds; several cars decide, so that one bargain doesn't. */
export function judgeMagnitude(offers: readonly SupplierOffer[], { least, most }: Bounds): void {
  const perDay = medianPerDay(offers);
  must(
    perDay >= least && perDay <= most,
    `the median price of a small car is about ${perDay.toPrecision(2)} USD per day; expected ${least} to ${most}: check how amounts are written (money)`,
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
