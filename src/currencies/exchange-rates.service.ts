import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, CONFIG_FOLDER, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { observeRates } from '../metrics/rates-gauge.js';
import type { DisplayTerms, SupplierOffer } from '../model/offers.js';
import { type DisplayRate, displayPrice, lockedRate, rateOf } from './display-price.js';
import { readEcbRates } from './ecb-rates.js';
import { type Rates, RateTable, SAMPLE_SOURCE } from './rate-table.js';
import { RateUrl } from './rate-url.js';

/** Knows the current exchange rates and converts prices with them (docs/decisions/0055). */
@Injectable()
export class ExchangeRates implements OnModuleInit, OnModuleDestroy {
  #table: RateTable | undefined;
  #isFromUrl = false;
  #fault: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #url: RateUrl | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment' | 'exchangeRates'>,
    @Inject(CONFIG_FOLDER) private readonly folder: string,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { url } = config.exchangeRates;
    if (url !== undefined) this.#url = new RateUrl(url, config.exchangeRates, config.environment);
  }

  /** The rates in use; undefined if none could be read. */
  get table(): RateTable | undefined {
    return this.#table;
  }

  /** Why the last read did not bring rates that can be used; undefined if it did. */
  get fault(): string | undefined {
    return this.#fault;
  }

  async onModuleInit(): Promise<void> {
    await this.#readFile();
    if (this.#url) await this.refresh();
    const { refreshMinutes } = this.config.exchangeRates;
    this.#timer = setInterval(() => void this.refresh(), refreshMinutes * 60_000).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.#timer);
    await this.#url?.close();
  }

  /** Reads the rates again. If they can't be read, or are older than those in use, the latter stay. Never rejects. */
  async refresh(): Promise<void> {
    if (this.#url) await this.#read(this.#url.host, true, () => this.#url?.read());
    else await this.#readFile();
  }

  /** The rate between two currencies on `now` (epoch milliseconds); undefined if none is known. */
  rate(from: string, to: string, now: number): DisplayRate | undefined {
    return rateOf(this.#table, from, to, now);
  }

  /**
   * The offer with its price in the requested currency as `price.display`, and without one if no currency is requested or no
   * rate is known. A locked rate applies to a total in its currency. `now` is in epoch milliseconds.
   */
  shown(offer: SupplierOffer, terms: DisplayTerms | undefined, now: number): SupplierOffer {
    if (!terms && !offer.price.display) return offer;
    const { display: _own, ...price } = offer.price;
    if (!terms) return { ...offer, price };
    const { currency, locked } = terms;
    const from = price.total.currency;
    const isLocked = locked?.from === from && locked.to === currency;
    const rate = isLocked ? lockedRate(locked) : this.rate(from, currency, now);
    const display = displayPrice(offer.price, currency, rate);
    return { ...offer, price: display ? { ...price, display } : price };
  }

  #readFile(): Promise<void> {
    const { file } = this.config.exchangeRates;
    return this.#read(file, false, () => readFile(resolve(this.folder, file), 'utf8'));
  }

  async #read(place: string, isUrl: boolean, read: () => Promise<string | undefined> | undefined): Promise<void> {
    const { exchangeRates, environment } = this.config;
    try {
      const rates = readEcbRates((await read()) ?? '', Date.now());
      const before = this.#table;
      if (environment === 'production' && rates.source === SAMPLE_SOURCE)
        throw new Error('the rates are samples, which production does not use');
      // The file only applies until the URL was read.
      if (before && this.#isFromUrl === isUrl) refuseUnlikely(rates, before);
      this.#table = new RateTable(rates, exchangeRates.staleAfterHours);
      this.#isFromUrl = isUrl;
      this.#fault = undefined;
      observeRates(this.#table);
      if (rates.asOf !== before?.asOf)
        this.logger.info({ place, as_of: rates.asOf, source: rates.source }, 'exchange rates read');
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#fault = `${place}: ${why}`;
      this.logger.warn({ place, why, as_of: this.#table?.asOf }, 'exchange rates not updated');
    }
  }
}

/** Throws if a rate differs too much from the one in use, or if the rates are older, unless those in use are of a day that hasn't begun. */
function refuseUnlikely(rates: Rates, before: RateTable): void {
  if (rates.asOf < before.asOf && Date.parse(before.asOf) <= Date.now())
    throw new Error(`the rates of ${rates.asOf} are older than those in use`);
  const currency = before.leapTo(rates);
  if (currency !== undefined)
    throw new Error(
      `the rate of ${currency} changed by more than a factor of two; if it is right, restart the gateway`,
    );
}
