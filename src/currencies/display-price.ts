import { Conversion } from '../model/conversion.js';
import type { DisplayPrice, DisplayTerms, LockedRate, Price } from '../model/offers.js';
import type { RateTable } from './rate-table.js';

/** What a price is converted with. */
export interface DisplayRate {
  readonly conversion: Conversion;
  readonly asOf: string;
  readonly source: string;
  readonly stale?: true;
}

type ShownPrice = Pick<Price, 'total' | 'dueNow' | 'dueAtCounter' | 'display'>;

const DAY_MS = 86_400_000;

/** The `source` of a rate of 1: a price in its own currency. */
const OWN_CURRENCY = 'none';

/**
 * The rate of a table on `now` (epoch milliseconds); undefined if it has none for the two currencies. A currency converts to
 * itself even without a table.
 */
export function rateOf(table: RateTable | undefined, from: string, to: string, now: number): DisplayRate | undefined {
  if (from === to) return identity(from, Math.floor(now / DAY_MS));
  const conversion = table?.conversion(from, to);
  if (!table || !conversion) return undefined;
  const { asOf, source, staleAt } = table;
  return { conversion, asOf, source, ...(now >= staleAt ? { stale: true } : {}) };
}

const identities = new Map<string, { readonly day: number; readonly rate: DisplayRate }>();

/** The rate of 1; `day` in days since the epoch. */
function identity(currency: string, day: number): DisplayRate {
  const known = identities.get(currency);
  if (known?.day === day) return known.rate;
  const asOf = new Date(day * DAY_MS).toISOString().slice(0, 10);
  const rate = { conversion: new Conversion(currency, currency, '1'), asOf, source: OWN_CURRENCY };
  identities.set(currency, { day, rate });
  return rate;
}

/** The rate that was locked. */
export function lockedRate({ from, to, rate, ...rest }: LockedRate): DisplayRate {
  return { ...rest, conversion: new Conversion(from, to, rate) };
}

/**
 * The display price of a price in `currency`: converted at `rate`, whatever its supplier converted. Without a rate, the
 * supplier's own conversion, if it is in that currency. Undefined if there is neither, or the amount is too large.
 */
export function displayPrice(
  price: ShownPrice,
  currency: string,
  rate: DisplayRate | undefined,
): DisplayPrice | undefined {
  const converted = rate && convertedPrice(price, rate);
  return converted ?? (price.display?.currency === currency ? price.display : undefined);
}

function convertedPrice(
  { total, dueNow, dueAtCounter }: ShownPrice,
  { conversion, ...published }: DisplayRate,
): DisplayPrice | undefined {
  const parts = conversion.parts(total.amountMinor, [dueNow.amountMinor, dueAtCounter.amountMinor]);
  if (!parts) return undefined;
  const { to: currency, rate } = conversion;
  const [nowMinor = 0, counterMinor = 0] = parts.partsMinor;
  return {
    amountMinor: parts.totalMinor,
    currency,
    dueNow: { amountMinor: nowMinor, currency },
    dueAtCounter: { amountMinor: counterMinor, currency },
    rate,
    ...published,
  };
}

/** The terms with the rate at which a price is shown, to be kept; without one if it was not converted here. */
export function keptTerms({ total, display }: ShownPrice, { currency }: DisplayTerms): DisplayTerms {
  const { rate, asOf, source, stale } = display ?? {};
  if (rate === undefined || asOf === undefined || source === undefined) return { currency };
  const locked = { from: total.currency, to: currency, rate, asOf, source };
  return { currency, locked: stale ? { ...locked, stale } : locked };
}
