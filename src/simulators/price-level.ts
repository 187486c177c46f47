import { currencyDigits } from '../model/money.js';
import { currencyOfCountry } from '../places/places.js';

/** Units of a currency per US dollar: plausible levels of about 2025, not exchange rates. */
const PER_DOLLAR = `AED3.67 ALL92 AMD390 AOA900 ARS1000 AUD1.5 AWG1.79 AZN1.7 BAM1.8 BBD2 BDT120 BGN1.8 BHD0.376 BMD1 BND1.33 BOB6.9 BRL5.4 BSD1
 BWP13.5 BYN3.2 BZD2 CAD1.37 CHF0.88 CLP940 CNY7.2 COP4100 CRC515 CVE101 CZK23 DJF178 DKK6.9 DOP60 DZD134 EGP49 ETB120 EUR0.92 FJD2.25 GBP0.79
 GEL2.7 GHS15 GIP0.79 GMD70 GTQ7.7 HKD7.8 HNL25 HUF360 IDR16000 ILS3.7 INR84 IQD1310 ISK138 JMD157 JOD0.709 JPY150 KES129 KGS86 KHR4050 KRW1350
 KWD0.307 KYD0.83 KZT480 LKR300 MAD9.9 MDL18 MKD57 MNT3400 MOP8 MRU40 MUR46 MVR15.4 MXN18 MYR4.4 MZN64 NAD18 NGN1550 NOK10.8 NPR134 NZD1.65
 OMR0.385 PAB1 PEN3.75 PGK3.9 PHP57 PKR278 PLN3.95 PYG7500 QAR3.64 RON4.6 RSD108 RUB92 RWF1330 SAR3.75 SCR13.6 SEK10.5 SGD1.33 THB34 TND3.1
 TRY34 TTD6.8 TWD32 TZS2600 UAH41 UGX3700 USD1 UYU42 UZS12700 VND25000 XAF605 XCD2.7 XCG1.79 XOF605 XPF110 ZAR18 ZMW26`;

interface Level {
  readonly minorPerDollar: number;
  /** Prices are multiples of this amount, because a real price is not 1,234.56 rupees per day. */
  readonly stepMinor: number;
}

const levels = new Map(
  PER_DOLLAR.split(/\s+/).map((entry) => {
    const currency = entry.slice(0, 3);
    const perDollar = Number(entry.slice(3));
    const minorPerUnit = 10 ** currencyDigits(currency);
    const stepMinor = perDollar < 20 ? 1 : 10 ** (Math.floor(Math.log10(perDollar)) - 1) * minorPerUnit;
    return [currency, { minorPerDollar: perDollar * minorPerUnit, stepMinor }] as const;
  }),
);
const DOLLAR: Level = { minorPerDollar: 100, stepMinor: 1 };

/** The currency of prices in a country: its own, or US dollars if it is not in the table, as rental companies do. */
export function localCurrency(countryCode: string): string {
  const own = currencyOfCountry(countryCode);
  return own !== undefined && levels.has(own) ? own : 'USD';
}

/**
 * A plausible local price for an amount in dollars, in minor units: rounded as usual in that currency, and at least one
 * step.
 */
export function localPrice(dollars: number, currency: string): number {
  const { minorPerDollar, stepMinor } = levels.get(currency) ?? DOLLAR;
  return Math.max(1, Math.round((dollars * minorPerDollar) / stepMinor)) * stepMinor;
}
