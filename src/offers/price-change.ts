import type { ChosenExtra } from '../model/bookings.js';
import type { Money } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import { choicesBesides, namedChoices } from '../representations/choices-besides.js';
import type { PricedKey } from './priced-key.js';

/** Chosen extras and coverages. */
export interface Choice {
  readonly extras: readonly ChosenExtra[];
  /** Codes. */
  readonly coverages: readonly string[];
}

/** A price change for the same choices, in one currency. `delta` = current − previous. */
export interface PriceChange {
  readonly previous: Money;
  readonly current: Money;
  readonly delta: Money;
}

/**
 * The price of a chosen extra and its quantity from the offer; undefined if the offer has no price, or a negative one (which would
 * hide a higher total). What is paid at the counter besides the total may be in another currency.
 */
export function extraPrice(offer: SupplierOffer, { code, quantity }: ChosenExtra): Money | undefined {
  const price = knownPrice(offer.extras.find((extra) => extra.code === code)?.priceTotal);
  return price && { amountMinor: price.amountMinor * quantity, currency: price.currency };
}

/** The price of a chosen coverage from the offer; undefined as for extras, or if the offer includes the coverage. */
export function coveragePrice(offer: SupplierOffer, code: string): Money | undefined {
  const coverage = offer.coverages.find((listed) => listed.code === code);
  return coverage?.included ? undefined : knownPrice(coverage?.priceTotal);
}

/** The total of an offer priced with `choice` minus the prices of `choice` that are known to be in it. */
export function bareTotal(offer: SupplierOffer, choice: Choice): Money {
  const { amountMinor, currency } = offer.price.total;
  return { amountMinor: amountMinor - costOf(offer, choice, paidBesides(offer, choice)), currency };
}

/** An offer priced with `choice` without what is known of it: in its total, and coverages that may be included as chosen. */
export function bareOffer(offer: SupplierOffer, choice: Choice): SupplierOffer {
  const coverages = offer.coverages.filter(({ code }) => !choice.coverages.includes(code));
  return { ...offer, coverages, price: { ...offer.price, total: bareTotal(offer, choice) } };
}

/**
 * The price change since the id was issued; undefined = none. Both totals are for the choices in the id: from the
 * supplier's total, the known prices of `choice` are subtracted and those of the id's choices added, unless they are paid besides
 * it: now, or for what is no longer chosen, in the id. A choice without a known price counts as a change. The offer is in the currency of the id (PriceCheckService).
 */
export function priceChange(
  { total: previous, extras, coverages, besides = [] }: PricedKey,
  choice: Choice,
  offer: SupplierOffer,
): PriceChange | undefined {
  const bare = bareTotal(offer, choice);
  const chosen = [...choice.extras.map(({ code }) => code), ...choice.coverages];
  const apart = [...paidBesides(offer, choice), ...besides.filter((code) => !chosen.includes(code))];
  const current: Money = {
    amountMinor: bare.amountMinor + costOf(offer, { extras, coverages }, apart),
    currency: bare.currency,
  };
  if (current.amountMinor === previous.amountMinor) return undefined;
  return {
    previous,
    current,
    delta: { amountMinor: current.amountMinor - previous.amountMinor, currency: current.currency },
  };
}

/** Whether what is chosen is what was chosen when the id was issued, in the same order. */
export function hasSameChoices(priced: Choice, chosen: Choice): boolean {
  const keyOf = (choice: Choice) =>
    JSON.stringify([choice.extras.map(({ code, quantity }) => [code, quantity]), choice.coverages]);
  return keyOf(priced) === keyOf(chosen);
}

/** The codes of a choice that an offer priced with it shows as paid besides the total. */
function paidBesides(offer: SupplierOffer, choice: Choice): readonly string[] {
  return choicesBesides(offer.price.items, namedChoices(offer, choice));
}

/** What a choice adds to the total: nothing for the codes that are paid `apart` from it. */
function costOf(offer: SupplierOffer, { extras, coverages }: Choice, apart: readonly string[]): number {
  const prices = [
    ...extras.filter(({ code }) => !apart.includes(code)).map((extra) => extraPrice(offer, extra)),
    ...coverages.filter((code) => !apart.includes(code)).map((code) => coveragePrice(offer, code)),
  ];
  const { currency } = offer.price.total;
  return prices.reduce((sum, price) => sum + (price?.currency === currency ? price.amountMinor : 0), 0);
}

function knownPrice(price: Money | undefined): Money | undefined {
  return price && price.amountMinor >= 0 ? price : undefined;
}
