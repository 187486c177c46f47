import { formatAmount } from '../../model/money.js';
import type { SimulatedCoverage, SimulatedExtra } from '../world.js';
import { coveragePrice, extraPrice } from './option-prices.js';
import { element, wrap } from './wire-writer.js';

/** An extra; the charge of a chosen one is for all pieces and marked as included in the total. */
export function equipElement(extra: SimulatedExtra, days: number, currency: string, quantity: number): string {
  const chosen = quantity > 0;
  return wrap(
    'PricedEquip',
    element('Equipment', { EquipType: extra.equipType, Quantity: chosen ? quantity : undefined }) +
      element(
        'Charge',
        {
          Amount: amount(extraPrice(extra, days) * Math.max(1, quantity), currency),
          CurrencyCode: currency,
          TaxInclusive: true,
          IncludedInEstTotalInd: chosen || undefined,
        },
        element('Calculation', {
          UnitCharge: amount(extra.perDay, currency),
          UnitName: 'Day',
          Quantity: days,
          MaxQuantity: extra.maxQuantity,
        }),
      ),
  );
}

/** A coverage; a chosen one is marked as included in the total. */
export function coverageElement(coverage: SimulatedCoverage, days: number, currency: string, chosen: boolean): string {
  const calculation = element('Calculation', {
    UnitCharge: amount(coverage.perDay, currency),
    UnitName: 'Day',
    Quantity: days,
  });
  const excess =
    coverage.excess === undefined
      ? ''
      : element('Deductible', { ExcessAmount: amount(coverage.excess, currency), CurrencyCode: currency });
  return wrap(
    'PricedCoverage',
    element('Coverage', { CoverageType: coverage.coverageType }) +
      element(
        'Charge',
        {
          Amount: amount(coveragePrice(coverage, days), currency),
          TaxInclusive: true,
          IncludedInRate: coverage.included,
          IncludedInEstTotalInd: (chosen && !coverage.included) || undefined,
        },
        coverage.included ? '' : calculation,
      ) +
      excess,
  );
}

/** Minor units as the text of an amount. */
export function amount(amountMinor: number, currency: string): string {
  return formatAmount({ amountMinor, currency });
}
