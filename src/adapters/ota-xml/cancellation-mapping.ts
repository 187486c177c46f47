import type { LocalDateTime } from '../../model/locations.js';
import type { Money } from '../../model/money.js';
import type { Cancellation, Term } from '../../model/offers.js';
import { type AmountContext, amountAttribute, numberOf } from './amounts.js';
import { deadlineOf, undatedText } from './deadlines.js';
import { noShowOf } from './no-show.js';
import { RULE } from './payment-rules.js';
import { attribute, child, childrenNamed, flag, type XmlNode } from './wire.js';

/** Where one offer may state cancellation terms. */
export interface CancellationSources {
  /**
   * Elements that may contain CancelPenaltyInfo and NoShowFeeInfo: RateRules, VehAvailInfo, VehAvailCore, RentalRate.
   */
  readonly holders: readonly (XmlNode | undefined)[];
  readonly paymentRules: readonly XmlNode[];
  readonly restrictions: XmlNode | undefined;
  /** The supplier's texts; one about cancellation is used if there are no structured terms. */
  readonly terms: readonly Term[];
  /** Wall clock of the pickup, which deadlines count back from. */
  readonly pickupDate: LocalDateTime;
  readonly total: Money;
}

interface Penalty {
  /**
   * The penalty applies from here; undefined means always, or from a moment that can't be expressed as a wall clock.
   */
  readonly from?: LocalDateTime;
  readonly fee?: Money;
  readonly percent?: string;
  readonly text?: string;
  readonly nonRefundable: boolean;
}

/**
 * The cost of cancelling: structured penalties, otherwise the supplier's text, otherwise unknown. Never guessed to be
 * free (docs/trade.md#terms-as-text).
 */
export function cancellationOf(sources: CancellationSources, context: AmountContext): Cancellation {
  const nodes = sources.holders.flatMap((holder) => childrenNamed(holder, 'CancelPenaltyInfo'));
  const rules = sources.paymentRules.filter((rule) => attribute(rule, 'RuleType') === RULE.cancel);
  const { fee: noShowFee, terms: noShow } = noShowOf(
    sources.holders,
    sources.paymentRules,
    sources.pickupDate,
    context,
  );
  const absent = { noShowFee, noShow };
  if (nodes.length + rules.length > 0) {
    return structured(
      [...nodes, ...rules].map((node) => penaltyOf(node, sources, context)),
      absent,
      sources.total,
    );
  }
  const penalty = flag(sources.restrictions, 'CancellationPenaltyInd');
  if (penalty === false) return { refundable: true, rules: [], ...absent, source: 'structured' };
  if (penalty === true) return { rules: [{ text: 'A cancellation penalty applies' }], ...absent, source: 'structured' };
  const texts = sources.terms.filter((term) => term.text !== undefined && /cancel|refund/i.test(term.text));
  return {
    rules: texts.map((term) => ({ text: term.text })),
    ...absent,
    source: texts.length > 0 ? 'text' : 'unknown',
  };
}

function structured(
  penalties: readonly Penalty[],
  absent: Pick<Cancellation, 'noShowFee' | 'noShow'>,
  total: Money,
): Cancellation {
  const sorted = [...penalties].sort((one, other) => (one.from ?? '').localeCompare(other.from ?? ''));
  const always = sorted.filter((penalty) => penalty.from === undefined);
  const lost = always.some((penalty) => penalty.nonRefundable || takesAll(penalty, total));
  const freeUntil = always.length === 0 ? sorted[0]?.from : undefined;
  return {
    refundable: lost ? false : freeUntil === undefined ? undefined : true,
    freeUntil,
    rules: sorted.map(({ from, fee, percent, text }, index) => ({
      from,
      until: sorted[index + 1]?.from,
      fee,
      percent,
      text,
    })),
    ...absent,
    source: 'structured',
  };
}

function takesAll(penalty: Penalty, total: Money): boolean {
  if (penalty.text !== undefined) return false;
  return Number(penalty.percent ?? 0) >= 100 || (penalty.fee?.amountMinor ?? 0) >= total.amountMinor;
}

function penaltyOf(node: XmlNode, sources: CancellationSources, context: AmountContext): Penalty {
  const deadline = child(node, 'Deadline') ?? node;
  const fee = child(node, 'PenaltyFee') ?? child(node, 'AmountPercent') ?? node;
  const percent =
    numberOf(fee, 'Percent') ?? numberOf(fee, 'Percentage') ?? numberOf(child(fee, 'Calculation'), 'Percentage');
  const from = deadlineOf(deadline, sources.pickupDate);
  return {
    from,
    fee: amountAttribute(fee, 'Amount', context),
    percent: percent === undefined ? undefined : String(percent),
    text: from === undefined ? undatedText(deadline) : undefined,
    nonRefundable: flag(node, 'NonRefundable') === true || flag(node, 'NonRefundableInd') === true,
  };
}
