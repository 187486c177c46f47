import { formatAmount, type Money } from '../model/money.js';
import type { moneyWire } from './offers.wire.js';
import type { WireView } from './wire-view.js';

/** An amount in a response. */
export type MoneyView = WireView<typeof moneyWire>;

/** Converts an amount to its form in a response (docs/model.md#conventions). */
export function moneyView(amount: Money): MoneyView;
export function moneyView(amount: Money | undefined): MoneyView | undefined;
export function moneyView(amount: Money | undefined): MoneyView | undefined {
  return amount && { amount: formatAmount(amount), currency: amount.currency };
}
