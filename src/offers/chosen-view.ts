import type { z } from 'zod';
import type { SupplierOffer } from '../model/offers.js';
import { moneyView } from '../representations/money-view.js';
import type { chosenShape } from '../representations/offers.wire.js';
import type { WireView } from '../representations/wire-view.js';
import { type Choice, coveragePrice, extraPrice } from './price-change.js';

/** The chosen extras and coverages on the wire. */
export type ChosenView = WireView<z.ZodObject<typeof chosenShape>>;

/**
 * The chosen extras and coverages of a quote or reservation, with the names and prices of the offer. Prices cover the
 * full quantity and the entire rental.
 */
export function chosenView(offer: SupplierOffer, { extras, coverages }: Choice): ChosenView {
  return {
    selected_extras: extras.map((chosen) => ({
      extra_id: chosen.code,
      quantity: chosen.quantity,
      name: nameOf(offer.extras, chosen.code),
      price_total: moneyView(extraPrice(offer, chosen)),
    })),
    selected_coverages: coverages.map((code) => ({
      code,
      name: nameOf(offer.coverages, code),
      price_total: moneyView(coveragePrice(offer, code)),
    })),
  };
}

function nameOf(listed: readonly { readonly code: string; readonly name: string }[], code: string): string {
  return listed.find((row) => row.code === code)?.name ?? code;
}
