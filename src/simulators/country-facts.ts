import type { Market } from './fleet-models.js';

/**
 * VAT or sales tax in percent by country; by state for the United States and Canada below. Plausible levels of about
 * 2025.
 */
const TAX_PERCENT = `AE5 AL20 AM20 AR21 AT20 AU10 AW7 AZ18 BA17 BB17.5 BE21 BG20 BH10 BO13 BQ8 BR12 BS10 BW14 BY20 BZ12.5 CH8.1 CI18 CL19
 CN13 CO19 CR13 CV15 CW6 CY19 CZ21 DE19 DK25 DO18 DZ19 EC15 EE24 EG14 ES21 FI25.5 FJ15 FO25 FR20 GB20 GE18 GH15 GI0 GP8.5 GR24 GT12 GU4
 HK0 HN15 HR25 HU27 ID11 IE23 IL18 IN18 IS24 IT22 JM15 JO16 JP10 KE16 KR10 KW0 KY0 KZ12 LC12.5 LK18 LT21 LU17 LV21 MA20 MD20 ME21 MK18
 MQ8.5 MT18 MU15 MV16 MX16 MY8 NA15 NC11 NL21 NO25 NP13 NZ15 OM5 PA7 PE18 PF16 PH12 PK18 PL23 PR11.5 PT23 PY10 QA0 RE8.5 RO21 RS20
 SA15 SC15 SE25 SG9 SI22 SK23 SN18 SV13 SX5 TH7 TN19 TR20 TT12.5 TW5 TZ18 UA20 UG18 UY22 UZ12 VG0 VI5 VN10 ZA15 ZM16 ZZ8`;

const STATE_TAX_PERCENT = `US-AL4 US-AK3 US-AZ11.6 US-AR16.5 US-CA9.5 US-CO8.81 US-CT9.35 US-DE1.99 US-DC10.25 US-FL7.5 US-GA11.9 US-HI4.712 US-ID6 US-IL20
 US-IN11 US-IA12 US-KS10.85 US-KY6 US-LA13.45 US-ME10 US-MD11.5 US-MA6.25 US-MI6 US-MN14.2 US-MS13 US-MO9.68 US-MT4 US-NE9.75 US-NV18.375
 US-NH9 US-NJ6.625 US-NM13.88 US-NY19.875 US-NC8 US-ND8 US-OH8 US-OK14.99 US-OR17 US-PA10 US-RI15 US-SC12 US-SD11 US-TN12.75 US-TX15 US-UT12.25
 US-VT9 US-VA11.5 US-WA17.1 US-WV6 US-WI10.5 US-WY9 CA-AB5 CA-BC12 CA-MB12 CA-NB15 CA-NL15 CA-NS14 CA-NT5 CA-NU5 CA-ON13 CA-PE15 CA-QC14.975
 CA-SK11 CA-YT5`;

const COUNTRIES_OF_MARKET: Readonly<Record<Exclude<Market, 'P'>, string>> = {
  N: 'US CA PR VI GU AW BB BM BS BQ CW DO GP JM KY LC MQ SX TC TT VG ZZ',
  E: `AD AL AM AT AZ BA BE BG BY CH CY CZ DE DK DZ EE EG ES FI FO FR GB GE GG GI GR HR HU IE IL IM IS IT JE LI LT LU LV MA MC MD ME MK MT NL
    NO PL PT RE RO RS SE SI SK TN TR UA XK`,
  L: 'AR BO BR CL CO CR EC GF GT GY HN MX NI PA PE PY SR SV UY VE',
};

/** Countries where winter tires cost extra from November to March. */
const WINTER_COUNTRIES = new Set('AT BG CH CZ DE EE FI IS LT LU LV NO PL RO SE SI SK'.split(' '));

const percentByPlace = new Map(
  `${TAX_PERCENT} ${STATE_TAX_PERCENT}`.split(/\s+/).map((entry) => {
    const [, place = '', percent = ''] = /^([A-Z-]+)(.+)$/.exec(entry) ?? [];
    return [place, Number(percent)] as const;
  }),
);

const marketByCountry = new Map(
  (['N', 'E', 'L'] as const).flatMap((market) =>
    COUNTRIES_OF_MARKET[market].split(/\s+/).map((country) => [country, market] as const),
  ),
);

/** Facts about rentals in a country. */
export interface CountryFacts {
  readonly market: Market;
  /** Whether simulated suppliers also serve its smaller airports (all serve the large ones). */
  readonly wellServed: boolean;
  /** Whether the rate includes collision and theft cover. */
  readonly coversIncluded: boolean;
  readonly winterTires: boolean;
}

/**
 * The facts of a country by ISO 3166-1 code; an unlisted country has the fleet of Asia and Africa, and only its large
 * airports are served.
 */
export function countryFacts(countryCode: string): CountryFacts {
  return {
    market: marketByCountry.get(countryCode) ?? 'P',
    wellServed: percentByPlace.has(countryCode) || countryCode === 'US' || countryCode === 'CA',
    coversIncluded: countryCode !== 'US',
    winterTires: WINTER_COUNTRIES.has(countryCode),
  };
}

/** The tax on a rental in percent, exact to a thousandth; 10 if the table has no entry. */
export function taxPercent(countryCode: string, regionCode: string): number {
  return percentByPlace.get(`${countryCode}-${regionCode}`) ?? percentByPlace.get(countryCode) ?? 10;
}
