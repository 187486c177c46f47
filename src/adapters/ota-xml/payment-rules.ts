import type { CardBrand } from '../../model/card-brands.js';
import type { Term } from '../../model/offers.js';
import { codeAttribute, rowOf } from './table.js';
import { attribute, child, childrenNamed, flag, items, textOf, type XmlNode } from './wire.js';

/** PaymentRule@RuleType (list RUL). */
export const RULE = { cancel: '1', prepay: '2', deposit: '3', guarantee: '4' } as const;

/** The payment rules of one offer. */
export interface PaymentRules {
  /** Every PaymentRule, in document order. */
  readonly rules: readonly XmlNode[];
  /** Whether the rate must be guaranteed with a card; undefined if the supplier doesn't say. */
  readonly needsGuarantee: boolean | undefined;
  /** In our names (visa, mastercard, …), each once; empty if the supplier doesn't say. */
  readonly acceptedCards: readonly string[];
}

/**
 * Reads the payment rules of one offer. `holders` are the elements that may contain PaymentRules, CancelPenaltyInfo and
 * NoShowFeeInfo: RateRules, VehAvailInfo, VehAvailCore, RentalRate.
 */
export function paymentRulesOf(
  holders: readonly (XmlNode | undefined)[],
  restrictions: XmlNode | undefined,
): PaymentRules {
  const rules = holders.flatMap((holder) => items(holder, 'PaymentRules', 'PaymentRule'));
  const penalties = holders.flatMap((holder) => childrenNamed(holder, 'CancelPenaltyInfo'));
  const noShowFees = holders.map((holder) => child(child(holder, 'NoShowFeeInfo'), 'FeeAmount'));
  const demands =
    rules.some((rule) => codeAttribute(rule, 'RuleType', 'RUL') === RULE.guarantee) ||
    [restrictions, ...penalties, ...noShowFees].some(
      (node) => flag(node, 'GuaranteeReqInd') === true || flag(node, 'GuaranteeRequiredInd') === true,
    );
  return {
    rules,
    needsGuarantee: demands || flag(restrictions, 'GuaranteeReqInd'),
    acceptedCards: acceptedCards(holders),
  };
}

/** OTA's two-letter codes of card brands. */
const CARDS: Readonly<Record<string, CardBrand>> = {
  AX: 'american_express',
  CA: 'mastercard',
  CU: 'union_pay',
  DN: 'diners_club',
  DS: 'discover',
  JC: 'jcb',
  MA: 'maestro',
  MC: 'mastercard',
  TP: 'uatp',
  VI: 'visa',
};

function acceptedCards(holders: readonly (XmlNode | undefined)[]): readonly string[] {
  const codes = holders
    .flatMap((holder) => childrenNamed(holder, 'PaymentRules'))
    .flatMap((rules) => items(rules, 'AcceptablePayments', 'AcceptablePayment'))
    .flatMap((payment) => attribute(payment, 'CreditCardCode') ?? []);
  return [...new Set(codes.map((code) => rowOf(CARDS, code.toUpperCase()) ?? 'other'))];
}

const NAMES: Readonly<Record<string, string>> = { 2: 'prepayment', 3: 'deposit', 4: 'guarantee' };
const WORDS: readonly (readonly [type: string, said: RegExp])[] = [
  [RULE.prepay, /\bpre-?(pay|paid)/i],
  [RULE.deposit, /\bdeposit/i],
  [RULE.guarantee, /\bguarantee/i],
];

/**
 * Warnings for payment rules whose code and text disagree. The code decides (docs/trade.md#payment-rules): texts are
 * written for people.
 */
export function ruleContradictions(rules: readonly XmlNode[]): string[] {
  return rules.flatMap((rule) => {
    const type = codeAttribute(rule, 'RuleType', 'RUL');
    const name = rowOf(NAMES, type);
    const text = textOf(rule);
    if (type === undefined || name === undefined || text === undefined) return [];
    const said = WORDS.filter(([, word]) => word.test(text)).map(([saidType]) => saidType);
    const [other] = said;
    return other === undefined || said.includes(type)
      ? []
      : [`PaymentRule of type ${type} with a text about ${rowOf(NAMES, other)}: read as ${name}`];
  });
}

/** Whether a text says that the rate is prepaid. */
export function saysPrepaid(terms: readonly Term[]): boolean {
  return terms.some(({ text }) => text !== undefined && /(?<!\bno )\bpre-?(pay|paid)/i.test(text));
}
