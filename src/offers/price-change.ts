import type { ChosenExtra } from '../model/bookings.js';
import type { Money } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import type { PricedKey } from './priced-key.js';

/** What is chosen beside the car. */
export interface Choice {
  readonly extras: readonly ChosenExtra[];
  /** Codes. */
  readonly coverages: readonly string[];
}

/** How a price moved, for the same choice. `delta` = current − previous; absent where the currency changed. */
export interface PriceChange {
  readonly previous: Money;
  readonly current: Money;
  readonly delta?: Money;
}

/** The price of chosen pieces of one extra by the offer's own list; undefined where it does not say, or says it in another currency. */
export function extraPrice(offer: SupplierOffer, { code, quantity }: ChosenExtra): Money | undefined {
  const price = inCurrencyOf(offer, offer.extras.find((extra) => extra.code === code)?.priceTotal);
  return price && { amountMinor: price.amountMinor * quantity, currency: price.currency };
}

/** The price of a chosen coverage by the offer's own list; undefined where it does not say, and for one that is included anyway. */
export function coveragePrice(offer: SupplierOffer, code: string): Money | undefined {
  const coverage = offer.coverages.find((listed) => listed.code === code);
  return coverage?.included ? undefined : inCurrencyOf(offer, coverage?.priceTotal);
}

/** The total of an offer that was priced with `choice`, without it, as far as the offer says what it costs. */
export function bareTotal(offer: SupplierOffer, choice: Choice): Money {
  const { amountMinor, currency } = offer.price.total;
  return { amountMinor: amountMinor - costOf(offer, choice), currency };
}

/**
 * How the price moved since the id was made; undefined when it did not. Compared fairly: the supplier's total contains what was chosen now, so
 * the part of `choice` that the offer prices is taken off and what the id had chosen is put on. A choice whose price the supplier does
 * not tell counts as a change.
 */
export function priceChange(
  { total: previous, extras, coverages }: PricedKey,
  choice: Choice,
  offer: SupplierOffer,
): PriceChange | undefined {
  const bare = bareTotal(offer, choice);
  const current: Money = {
    amountMinor: bare.amountMinor + costOf(offer, { extras, coverages }),
    currency: bare.currency,
  };
  if (current.currency !== previous.currency) return { previous, current };
  if (current.amountMinor === previous.amountMinor) return undefined;
  return {
    previous,
    current,
    delta: { amountMinor: current.amountMinor - previous.amountMinor, currency: current.currency },
  };
}

function costOf(offer: SupplierOffer, { extras, coverages }: Choice): number {
  const prices = [
    ...extras.map((extra) => extraPrice(offer, extra)),
    ...coverages.map((code) => coveragePrice(offer, code)),
  ];
  return prices.reduce((sum, price) => sum + (price?.amountMinor ?? 0), 0);
}

function inCurrencyOf(offer: SupplierOffer, price: Money | undefined): Money | undefined {
  return price?.currency === offer.price.total.currency ? price : undefined;
}
