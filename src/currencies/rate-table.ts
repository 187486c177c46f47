import { Conversion, crossRate } from '../model/conversion.js';

/** The `source` of the rates in config/exchange-rates.xml, which aren't anyone's published rates. */
export const SAMPLE_SOURCE = 'Forecourt sample rates';

/** What a table of exchange rates contains. */
export interface Rates {
  /** The day of the rates, YYYY-MM-DD. */
  readonly asOf: string;
  /** Who publishes them. */
  readonly source: string;
  /** Units of each currency for one euro, as decimal text; the euro itself isn't listed. */
  readonly perEuro: ReadonlyMap<string, string>;
}

/** No currency of the European Central Bank's list has moved as much within days. */
const MOST_FACTOR = 2;

/** The exchange rates of one day. Rates between two other currencies are computed through the euro. */
export class RateTable {
  readonly asOf: string;
  readonly source: string;
  /** When the rates become stale, in epoch milliseconds. */
  readonly staleAt: number;
  readonly #perEuro: ReadonlyMap<string, string>;
  readonly #conversions = new Map<string, Conversion | undefined>();

  /** The rates are stale `staleAfterHours` after the beginning of their day (UTC). */
  constructor({ asOf, source, perEuro }: Rates, staleAfterHours: number) {
    this.asOf = asOf;
    this.source = source;
    this.staleAt = Date.parse(asOf) + staleAfterHours * 3_600_000;
    this.#perEuro = new Map([...perEuro, ['EUR', '1']]);
  }

  /** A currency that other rates value at more than twice or less than half as much; undefined if there is none. */
  leapTo({ perEuro }: Pick<Rates, 'perEuro'>): string | undefined {
    const isLeap = ([currency, rate]: readonly [string, string]): boolean => {
      const factor = Number(rate) / Number(this.#perEuro.get(currency) ?? rate);
      return !(factor <= MOST_FACTOR && factor >= 1 / MOST_FACTOR);
    };
    return [...perEuro].find(isLeap)?.[0];
  }

  /** Undefined if the table lacks one of the currencies. */
  conversion(from: string, to: string): Conversion | undefined {
    const pair = `${from}${to}`;
    const known = this.#conversions.get(pair);
    if (known || this.#conversions.has(pair)) return known;
    const conversion = this.#converted(from, to);
    this.#conversions.set(pair, conversion);
    return conversion;
  }

  #converted(from: string, to: string): Conversion | undefined {
    const [below, above] = [this.#perEuro.get(from), this.#perEuro.get(to)];
    if (below === undefined || above === undefined) return undefined;
    const rate = crossRate(below, above);
    return rate === undefined ? undefined : new Conversion(from, to, rate);
  }
}
