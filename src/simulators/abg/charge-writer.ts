import { currencyDigits } from '../../model/money.js';
import type { SimulatedCharge, SimulatedPrice } from '../world.js';

/** OTA purpose number of taxes, which ABG lists separately from fees. */
const PURPOSE_TAX = 7;

/** The price of a car for one payment type. */
export type Paid = Pick<SimulatedPrice, 'base' | 'charges' | 'total'>;

/** taxes_fees of a rate. */
export function taxesFeesJson(charges: readonly SimulatedCharge[], currency: string): object {
  const taxes: object[] = [];
  const fees: object[] = [];
  for (const charge of charges) {
    const amount = { amount: decimal(charge.amount, currency), included_in_total: charge.includedInTotal };
    if (charge.purpose === PURPOSE_TAX) taxes.push({ type: charge.description, ...amount });
    else fees.push({ name: charge.description, ...amount });
  }
  return { taxes, fees };
}

/** The totals of a car without options, which add up to reservation_total. */
export function totalsJson(paid: Paid, currency: string): object {
  let taxes = 0;
  let fees = 0;
  for (const charge of paid.charges) {
    if (!charge.includedInTotal) continue;
    if (charge.purpose === PURPOSE_TAX) taxes += charge.amount;
    else fees += charge.amount;
  }
  return {
    vehicle_total: decimal(paid.base, currency),
    taxes_total: decimal(taxes, currency),
    fees_total: decimal(fees, currency),
    taxes_fees_total: decimal(taxes + fees, currency),
    reservation_total: decimal(paid.total, currency),
  };
}

/** Minor units as the JSON number that ABG sends: 25299 USD → 252.99. */
export function decimal(amountMinor: number, currency: string): number {
  return amountMinor / 10 ** currencyDigits(currency);
}
