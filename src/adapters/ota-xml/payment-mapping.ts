import type { Money } from '../../model/money.js';
import type { Deposit, PaymentType } from '../../model/offers.js';
import { type AmountContext, amountAttribute, numberOf } from './amounts.js';
import type { Charges } from './charge-mapping.js';
import { type PaymentRules, RULE } from './payment-rules.js';
import { attribute, child, type XmlNode } from './wire.js';

/** When and how the total is paid. `dueNow` + `dueAtCounter` = the total. */
export interface Payment {
  readonly type: PaymentType;
  readonly dueNow: Money;
  readonly dueAtCounter: Money;
}

/** PaymentRule@PaymentType (list PMT). */
const VOUCHER = '3';
/** RateQualifier@RateCategory (list RTC): prepaid rates. */
const PREPAID_RATES = '19';

/**
 * How an offer is paid: by its prepay rule (an amount, a percentage, or neither for the complete total), by the split
 * of VCP 22 and 23, by a prepaid rate category, otherwise at the counter. A guarantee is a card on file without
 * payment.
 */
export function paymentOf(
  total: Money,
  rules: PaymentRules,
  rate: XmlNode | undefined,
  charges: Pick<Charges, 'prepay' | 'onArrival'>,
  context: AmountContext,
): Payment {
  const prepay = ruleOf(rules.rules, RULE.prepay);
  const now = prepay ? prepaidAmount(prepay, total, context) : splitAmount(total, rate, charges);
  const nowMinor = Math.min(Math.max(now.amountMinor, 0), total.amountMinor);
  const dueNow = { amountMinor: nowMinor, currency: total.currency };
  const dueAtCounter = { amountMinor: total.amountMinor - nowMinor, currency: total.currency };
  return { type: typeOf(dueNow, dueAtCounter, prepay, rules), dueNow, dueAtCounter };
}

function typeOf(
  dueNow: Money,
  dueAtCounter: Money,
  prepay: XmlNode | undefined,
  { needsGuarantee }: PaymentRules,
): PaymentType {
  if (dueNow.amountMinor > 0) {
    if (attribute(prepay, 'PaymentType') === VOUCHER) return 'voucher';
    return dueAtCounter.amountMinor === 0 ? 'pay_now' : 'pay_partial';
  }
  return needsGuarantee === true ? 'guarantee' : 'pay_later';
}

function ruleOf(rules: readonly XmlNode[], type: string): XmlNode | undefined {
  return rules.find((rule) => attribute(rule, 'RuleType') === type);
}

/** An amount, a percentage of the total, or the complete total. */
function prepaidAmount(rule: XmlNode, total: Money, context: AmountContext): Money {
  const stated = amountAttribute(rule, 'Amount', context);
  if (stated) return stated;
  const percent = numberOf(rule, 'Percent');
  return percent === undefined
    ? total
    : { amountMinor: Math.round((total.amountMinor * percent) / 100), currency: total.currency };
}

function splitAmount(total: Money, rate: XmlNode | undefined, charges: Pick<Charges, 'prepay' | 'onArrival'>): Money {
  if (charges.prepay) return charges.prepay;
  if (charges.onArrival)
    return { amountMinor: total.amountMinor - charges.onArrival.amountMinor, currency: total.currency };
  const prepaid = attribute(child(rate, 'RateQualifier'), 'RateCategory') === PREPAID_RATES;
  return prepaid ? total : { amountMinor: 0, currency: total.currency };
}

/**
 * The deposit: a rule of type 3 with an amount or a percentage of the total, or RateDeposit of the rate rules; undefined
 * if none has an amount. RateDeposit says whether it is due after the booking.
 */
export function depositOf(
  { rules }: PaymentRules,
  rateRules: XmlNode | undefined,
  total: Money,
  context: AmountContext,
): Deposit | undefined {
  const rule = ruleOf(rules, RULE.deposit);
  const deposit = child(rateRules, 'RateDeposit');
  const stated =
    amountAttribute(rule, 'Amount', context) ??
    amountAttribute(deposit, 'Amount', context) ??
    amountAttribute(child(deposit, 'DepositAmount'), 'Amount', context);
  const amount =
    stated ?? (rule && numberOf(rule, 'Percent') !== undefined ? prepaidAmount(rule, total, context) : undefined);
  const takenAt = attribute(deposit, 'OffsetDropTime') === 'AfterBooking' ? 'booking' : undefined;
  return amount ? { amount, takenAt } : undefined;
}
