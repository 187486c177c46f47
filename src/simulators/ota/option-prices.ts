import type { SimulatedCoverage, SimulatedExtra } from '../world.js';

/** The chosen options: extras by EquipType, coverages by CoverageType, as in the messages. */
export interface ChosenOptions {
  readonly extras: readonly { readonly code: string; readonly quantity: number }[];
  readonly coverages: readonly string[];
}

/** One piece for the entire rental: a price per day, with a cap if the supplier has one. */
export function extraPrice(extra: SimulatedExtra, days: number): number {
  const whole = extra.perDay * days;
  return extra.maxPerRental > 0 ? Math.min(whole, extra.maxPerRental) : whole;
}

/** For the entire rental; an included coverage costs nothing. */
export function coveragePrice(coverage: SimulatedCoverage, days: number): number {
  return coverage.included ? 0 : coverage.perDay * days;
}

/** The chosen quantity of an extra; 0 = none. */
export function chosenQuantity(extra: SimulatedExtra, chosen: ChosenOptions): number {
  return chosen.extras.find(({ code }) => code === String(extra.equipType))?.quantity ?? 0;
}

/** Whether a coverage was chosen. */
export function isChosen(coverage: SimulatedCoverage, chosen: ChosenOptions): boolean {
  return chosen.coverages.includes(String(coverage.coverageType));
}

/** The price of all chosen options for the entire rental. */
export function chosenTotal(
  chosen: ChosenOptions,
  extras: readonly SimulatedExtra[],
  coverages: readonly SimulatedCoverage[],
  days: number,
): number {
  let total = 0;
  for (const extra of extras) total += extraPrice(extra, days) * chosenQuantity(extra, chosen);
  for (const coverage of coverages) if (isChosen(coverage, chosen)) total += coveragePrice(coverage, days);
  return total;
}
