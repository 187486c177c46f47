import { formatAmount, type Money, UnreadableAmountError } from '../../model/money.js';
import type { Deposit, PaymentType } from '../../model/offers.js';
import { type AmountContext, amountAttribute, notNegative, outsideContext, ownAmount } from './amounts.js';
import type { Charges } from './charge-mapping.js';
import { decimalAttribute, percentAttribute, times } from './numbers.js';
import { type PaymentRules, RULE } from './payment-rules.js';
import { codeAttribute } from './table.js';
import { attribute, child, type XmlNode } from './wire.js';

/** When and how the total is paid. `dueNow` + `dueAtCounter` = the total. */
export interface Payment {
  readonly type: PaymentType;
  readonly dueNow: Money;
  readonly dueAtCounter: Money;
  /** Whether all that the supplier's own total contains is due now. */
  readonly isPrepaid: boolean;
}

/** What charges say of how the total is paid. */
type Split = Pick<Charges, 'prepay' | 'onArrival'>;

/** PaymentRule@PaymentType (list PMT). */
const VOUCHER = '3';
const PREPAYMENT = '4';
/** RateQualifier@RateCategory (list RTC): prepaid rates. */
const PREPAID_RATES = '19';

/**
 * How an offer is paid: by a prepayment rule, by the split of VCP 22 and 23, by a prepaid rate category, otherwise at the
 * counter. All of these are about the total that the supplier `stated`: chosen options that it leaves out, which `total`
 * includes, are paid at the counter. A guarantee is a card on file without payment. Throws UnreadableAmountError if what is
 * stated can't be read, isn't between nothing and the total, or differs between rules.
 */
export function paymentOf(
  total: Money,
  stated: Money,
  rules: PaymentRules,
  rate: XmlNode | undefined,
  charges: Split,
  context: AmountContext,
): Payment {
  const prepayments = rules.rules.filter(isPrepayment);
  const prepay = countedRule(prepayments, charges, stated, context);
  const dueNow = prepay ? prepaidAmount(prepay, stated, context) : splitAmount(stated, rate, charges);
  if (!prepay && dueNow.amountMinor === 0 && prepayments.length > 0)
    context.warnings.add('contradiction', 'a payment rule says prepayment, the charges say none: read as they say');
  for (const text of splitContradictions(dueNow, stated, charges)) context.warnings.add('contradiction', text);
  if (dueNow.amountMinor < 0 || dueNow.amountMinor > total.amountMinor)
    throw new UnreadableAmountError(formatAmount(dueNow), 'due now is not between nothing and the total');
  const dueAtCounter = { amountMinor: total.amountMinor - dueNow.amountMinor, currency: total.currency };
  const isPrepaid = dueNow.amountMinor >= stated.amountMinor;
  return { type: typeOf(dueNow, isPrepaid, [prepay, ...prepayments], rules), dueNow, dueAtCounter, isPrepaid };
}

function typeOf(
  dueNow: Money,
  isPrepaid: boolean,
  prepayments: readonly (XmlNode | undefined)[],
  { needsGuarantee }: PaymentRules,
): PaymentType {
  if (dueNow.amountMinor > 0) {
    const [means] = prepayments.flatMap((rule) => codeAttribute(rule, 'PaymentType', 'PMT') ?? []);
    if (means === VOUCHER) return 'voucher';
    return isPrepaid ? 'pay_now' : 'pay_partial';
  }
  return needsGuarantee === true ? 'guarantee' : 'pay_later';
}

function ruleOf(rules: readonly XmlNode[], type: string): XmlNode | undefined {
  return rules.find((rule) => codeAttribute(rule, 'RuleType', 'RUL') === type);
}

/** A rule of type 2, or one without a type whose PaymentType says that it is a prepayment. */
function isPrepayment(rule: XmlNode): boolean {
  const type = codeAttribute(rule, 'RuleType', 'RUL');
  const isUntyped = attribute(rule, 'RuleType') === undefined;
  return type === RULE.prepay || (isUntyped && codeAttribute(rule, 'PaymentType', 'PMT') === PREPAYMENT);
}

/**
 * The rule that says what is prepaid. One without an amount only explains one that has it, or says how the prepaid part is paid if
 * charges split the total: of a rule of type 2, which is about all of it, only if both parts are stated and add up to it. Two amounts
 * may be due at different times, or one of them may be wrong.
 */
function countedRule(
  prepayments: readonly XmlNode[],
  charges: Split,
  total: Money,
  context: AmountContext,
): XmlNode | undefined {
  const stating = prepayments.filter(
    (rule) => attribute(rule, 'Amount') !== undefined || percentAttribute(rule, 'Percent', context.form) !== undefined,
  );
  const [first, ...others] = stating.map((rule) => prepaidAmount(rule, total, context));
  const other = others.find(({ amountMinor }) => amountMinor !== first?.amountMinor);
  if (other) throw new UnreadableAmountError(formatAmount(other), 'another prepayment than that of the rule before it');
  if (stating[0] || isCompleteSplit(charges, total)) return stating[0];
  const isSplit = (charges.prepay ?? charges.onArrival) !== undefined;
  return ruleOf(prepayments, RULE.prepay) ?? (isSplit ? undefined : prepayments[0]);
}

/** Whether charges state something that is due now and what is due on arrival, and both add up to the total. */
function isCompleteSplit({ prepay, onArrival }: Split, total: Money): boolean {
  if (!isAmount(prepay) || !isAmount(onArrival) || prepay.amountMinor === 0) return false;
  return prepay.amountMinor + onArrival.amountMinor === total.amountMinor;
}

function isAmount(amount: Split['prepay']): amount is Money {
  return amount !== undefined && !(amount instanceof UnreadableAmountError);
}

/** What the charges say otherwise of what is due when. */
function splitContradictions(dueNow: Money, total: Money, { prepay, onArrival }: Split): readonly string[] {
  const texts: string[] = [];
  if (isAmount(prepay) && prepay.amountMinor !== dueNow.amountMinor)
    texts.push('a charge states another prepayment than the payment rule: read as the rule says');
  if (isAmount(onArrival) && dueNow.amountMinor + onArrival.amountMinor !== total.amountMinor)
    texts.push('the prepayment and what is due on arrival are not the total: the rest of the total is due on arrival');
  return texts;
}

/** An amount, a percentage of the total, or the complete total. */
function prepaidAmount(rule: XmlNode, total: Money, context: AmountContext): Money {
  const stated = ownAmount(rule, 'Amount', context);
  if (stated) return stated;
  const percent = percentAttribute(rule, 'Percent', context.form);
  return percent === undefined ? total : times(total, percent / 100);
}

function splitAmount(total: Money, rate: XmlNode | undefined, charges: Split): Money {
  const { prepay, onArrival } = charges;
  if (prepay instanceof UnreadableAmountError) throw prepay;
  if (prepay) return prepay;
  if (onArrival instanceof UnreadableAmountError) throw onArrival;
  if (onArrival) return { amountMinor: total.amountMinor - onArrival.amountMinor, currency: total.currency };
  const prepaid = codeAttribute(child(rate, 'RateQualifier'), 'RateCategory', 'RTC') === PREPAID_RATES;
  return prepaid ? total : { amountMinor: 0, currency: total.currency };
}

/**
 * The deposit, in the currency that it states: a rule of type 3 with an amount or a percentage of the total, RateDeposit of the rate rules, or one `charged`;
 * undefined if none has an amount. RateDeposit says whether it is due after the booking. Throws UnreadableAmountError if it can't be read.
 */
export function depositOf(
  { rules }: PaymentRules,
  rateRules: XmlNode | undefined,
  total: Money,
  context: AmountContext,
  charged?: Money,
): Deposit | undefined {
  const rule = ruleOf(rules, RULE.deposit);
  const deposit = child(rateRules, 'RateDeposit');
  const amountOf = (node: XmlNode | undefined) => amountAttribute(node, 'Amount', outsideContext(node, context));
  const stated = amountOf(rule) ?? amountOf(deposit) ?? amountOf(child(deposit, 'DepositAmount'));
  // A deposit may be more than the rental.
  const percent = stated ? undefined : decimalAttribute(rule, 'Percent', context.form);
  const ruled = percent === undefined ? notNegative(stated, 'the deposit') : times(total, percent / 100);
  const amount = ruled ?? charged;
  const takenAt = attribute(deposit, 'OffsetDropTime') === 'AfterBooking' ? 'booking' : undefined;
  return amount ? { amount, takenAt } : undefined;
}
