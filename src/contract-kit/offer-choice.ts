import type { RentalRequest } from '../model/bookings.js';
import type { Coverage, Extra, SupplierOffer } from '../model/offers.js';
import { must } from './breach.js';

/** Options of a rental that a renter chose. */
export type Chosen = Pick<RentalRequest, 'extras' | 'coverages'>;

/** What can be chosen. */
export const OPTION_KINDS = ['extras', 'coverages'] as const;
export type OptionKind = (typeof OPTION_KINDS)[number];

export const NOTHING_CHOSEN: Chosen = { extras: [], coverages: [] };

/** An option to choose, and what it adds to the total, minor units. */
export interface Option {
  readonly chosen: Chosen;
  readonly cost: number;
}

/** The first of the offers that can be booked and paid at the counter. Throws a Breach when there is none. */
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
    `no offer ${where} can be booked and paid at the counter; \`contract.place\` of its file names a better airport`,
  );
  return offer;
}

/** Two pieces of an extra (one where no more can be had) or a coverage, as a price check offers them. Throws a Breach when none has a price. */
export function optionOf(kind: OptionKind, { extras, coverages }: SupplierOffer): Option {
  if (kind === 'extras') {
    const extra = extras.find(isChoice);
    must(extra !== undefined, 'the adapter takes extras, but the price check offers none with a price');
    const quantity = Math.min(2, extra.maxQuantity);
    return { chosen: { ...NOTHING_CHOSEN, extras: [{ code: extra.code, quantity }] }, cost: costOf(extra) * quantity };
  }
  const coverage = coverages.find((one) => isChoice(one) && !one.included);
  must(coverage !== undefined, 'the adapter takes coverages, but the price check offers none with a price');
  return { chosen: { ...NOTHING_CHOSEN, coverages: [coverage.code] }, cost: costOf(coverage) };
}

function isChoice(option: Extra | Coverage): boolean {
  return !option.mandatory && costOf(option) > 0;
}

function costOf({ priceTotal }: Extra | Coverage): number {
  return priceTotal?.amountMinor ?? 0;
}
