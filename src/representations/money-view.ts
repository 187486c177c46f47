import { formatAmount, type Money } from '../model/money.js';
import type { moneyWire } from './offers.wire.js';
import type { WireView } from './wire-view.js';

/** An amount on the wire. */
export type MoneyView = WireView<typeof moneyWire>;

/** An amount on the wire (model.md Conventions); nothing for none. */
export function moneyView(amount: Money): MoneyView;
export function moneyView(amount: Money | undefined): MoneyView | undefined;
export function moneyView(amount: Money | undefined): MoneyView | undefined {
  return amount && { amount: formatAmount(amount), currency: amount.currency };
}
