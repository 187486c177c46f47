import type { Inventory, SimulatedCarOffer, SimulatedCoverage, SimulatedExtra, SimulatedRental } from '../world.js';
import { AbgRefusal, badRequest } from './answers.js';
import { group, numeric, text } from './wire.js';

/**
 * An extra of the location; `quantity` 0 = available, not chosen. `owed` is for all pieces, or for one if none is
 * chosen.
 */
export interface PricedExtra {
  readonly extra: SimulatedExtra;
  readonly quantity: number;
  readonly owed: number;
}

/** A coverage of the car; `owed` is for the entire rental, chosen or not. */
export interface PricedCoverage {
  readonly coverage: SimulatedCoverage;
  readonly chosen: boolean;
  readonly owed: number;
}

/** The options of a car, which of them were chosen, and the sums of those. Minor units. */
export interface PricedOptions {
  readonly extras: readonly PricedExtra[];
  readonly coverages: readonly PricedCoverage[];
  readonly extrasTotal: number;
  readonly coveragesTotal: number;
}

/**
 * Prices the options of a rental. `extras` and `insurance` are the rows of a request. Throws AbgRefusal: 400 for an
 * extra that is not available or exceeds its maximum quantity, 14299 for an unknown insurance.
 */
export function priceOptions(
  inventory: Inventory,
  { pickup }: SimulatedRental,
  { car, price }: SimulatedCarOffer,
  extras: readonly unknown[],
  insurance: readonly unknown[],
): PricedOptions {
  const quantities = new Map<string, number>();
  for (const row of extras.map(group)) quantities.set(text(row.code) ?? '', numeric(row.quantity) ?? 1);
  const codes = new Set(insurance.map((row) => text(group(row).code) ?? ''));

  const pricedExtras = inventory.extras(pickup).map((extra) => {
    const quantity = quantities.get(extra.abgCode) ?? 0;
    quantities.delete(extra.abgCode);
    if (!Number.isInteger(quantity) || quantity < 0 || quantity > extra.maxQuantity) {
      throw new AbgRefusal(badRequest(`Invalid quantity of extra ${extra.abgCode}`));
    }
    const piece = Math.min(extra.perDay * price.days, extra.maxPerRental);
    return { extra, quantity, owed: piece * Math.max(1, quantity) };
  });
  const pricedCoverages = inventory.coverages(pickup, car).map((coverage) => {
    const chosen = codes.delete(coverage.abgCode);
    return { coverage, chosen, owed: coverage.perDay * price.days };
  });
  if (quantities.size > 0) throw new AbgRefusal(badRequest('Invalid element extras.code'));
  if (codes.size > 0) {
    throw new AbgRefusal({
      status: 400,
      code: '14299',
      reason: 'Bad Request',
      details: 'Insurance details are invalid.',
    });
  }
  return {
    extras: pricedExtras,
    coverages: pricedCoverages,
    extrasTotal: sumOwed(pricedExtras.filter(({ quantity }) => quantity > 0)),
    coveragesTotal: sumOwed(pricedCoverages.filter(({ chosen }) => chosen)),
  };
}

function sumOwed(options: readonly { readonly owed: number }[]): number {
  return options.reduce((sum, { owed }) => sum + owed, 0);
}
