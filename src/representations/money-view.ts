import { formatAmount, type Money } from '../model/money.js';

/** An amount on the wire (docs/model.md#conventions); nothing for none. */
export function moneyView(amount: Money): { readonly amount: string; readonly currency: string };
export function moneyView(
  amount: Money | undefined,
): { readonly amount: string; readonly currency: string } | undefined;
export function moneyView(
  amount: Money | undefined,
): { readonly amount: string; readonly currency: string } | undefined {
  return amount && { amount: formatAmount(amount), currency: amount.currency };
}
