import type { RentalRequest } from '../model/bookings.js';
import type { Coverage, Extra, SupplierOffer } from '../model/offers.js';
import { must } from './breach.js';

/** The options that a renter chose for a rental. */
export type Chosen = Pick<RentalRequest, 'extras' | 'coverages'>;

/** The kinds of options. */
export const OPTION_KINDS = ['extras', 'coverages'] as const;
export type OptionKind = (typeof OPTION_KINDS)[number];

export const NOTHING_CHOSEN: Chosen = { extras: [], coverages: [] };

/** An option to choose, and what it adds to the total in minor units. */
export interface Option {
  readonly chosen: Chosen;
  readonly cost: number;
}

/** The first offer that can be booked now and paid at pickup. Throws a Breach if there is none. */
export function bookable(offers: readonly SupplierOffer[], where: string): SupplierOffer {
  const offer = offers.find(({ status, rate, requirements }) => {
    return (
      status === 'available' &&
      (rate.payment === 'pay_later' || rate.payment === 'guarantee') &&
      !requirements.creditCardRequired
    );
  });
  must(
    offer !== undefined,
    `no offer ${where} can be booked and paid at pickup; name a better airport in \`contract.place\` of the supplier's file`,
  );
  return offer;
}

/** An extra (two of it, if allowed) or a coverage from a price check. Throws a Breach if none has a price. */
export function optionOf(kind: OptionKind, { extras, coverages, price }: SupplierOffer): Option {
  const { currency } = price.total;
  if (kind === 'extras') {
    const extra = extras.find((one) => isChoice(one, currency));
    must(extra !== undefined, 'the adapter takes extras, but the price check lists none with a price');
    const quantity = Math.min(2, extra.maxQuantity);
    return { chosen: { ...NOTHING_CHOSEN, extras: [{ code: extra.code, quantity }] }, cost: costOf(extra) * quantity };
  }
  const coverage = coverages.find((one) => isChoice(one, currency) && !one.included);
  must(coverage !== undefined, 'the adapter takes coverages, but the price check lists none with a price');
  return { chosen: { ...NOTHING_CHOSEN, coverages: [coverage.code] }, cost: costOf(coverage) };
}

/** Whether the option is optional and adds to a total in the currency. */
function isChoice(option: Extra | Coverage, currency: string): boolean {
  return !option.mandatory && costOf(option) > 0 && option.priceTotal?.currency === currency;
}

function costOf({ priceTotal }: Extra | Coverage): number {
  return priceTotal?.amountMinor ?? 0;
}
