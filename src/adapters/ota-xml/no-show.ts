import type { Money } from '../../model/money.js';
import type { NoShow } from '../../model/offers.js';
import { type AmountContext, amountAttribute, notNegative, outsideContext } from './amounts.js';
import { deadlineOf, type PickupClock } from './deadlines.js';
import { codeAttribute } from './table.js';
import { child, textOf, type XmlNode } from './wire.js';

/** RuleType 5 is in OTA's own no-show sample, although list RUL doesn't include it (docs/trade.md#ota-amounts). */
const NO_SHOW_RULE = '5';

/** The cost of not collecting the car; without any member if the supplier states nothing. */
export interface NoShowTerms {
  readonly fee?: Money;
  readonly terms?: NoShow;
}

/**
 * NoShowFeeInfo, otherwise a PaymentRule of type 5. `holders` as in CancellationSources; deadlines count from the wall
 * clock of the pickup. A fee is in the currency that it states. Throws UnreadableAmountError for one that can't be read.
 */
export function noShowOf(
  holders: readonly (XmlNode | undefined)[],
  paymentRules: readonly XmlNode[],
  pickup: PickupClock,
  context: AmountContext,
): NoShowTerms {
  const info = holders.map((holder) => child(holder, 'NoShowFeeInfo')).find((node) => node !== undefined);
  const rule = paymentRules.find((one) => codeAttribute(one, 'RuleType', 'RUL') === NO_SHOW_RULE);
  const { form } = context;
  const terms = {
    cancelBy: deadlineOf(child(info, 'Deadline'), pickup, form) ?? deadlineOf(rule, pickup, form),
    // By its meaning, it begins with the pickup.
    graceUntil: deadlineOf(child(info, 'GracePeriod'), pickup, form, 'AfterArrival'),
    text: textOf(child(info, 'Description')) ?? textOf(rule),
  };
  const amountOf = (node: XmlNode | undefined) => amountAttribute(node, 'Amount', outsideContext(node, context));
  return {
    fee: notNegative(amountOf(child(info, 'FeeAmount') ?? info) ?? amountOf(rule), 'the no-show fee'),
    terms: Object.values(terms).some((value) => value !== undefined) ? terms : undefined,
  };
}
