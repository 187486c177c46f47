import { MOST_TERMS, refuseMoreThan } from '../../model/limits.js';
import type { LocalDateTime } from '../../model/locations.js';
import { type Money, UnreadableAmountError } from '../../model/money.js';
import type { Cancellation, Term } from '../../model/offers.js';
import { type AmountContext, notNegative, ownAmount } from './amounts.js';
import { deadlineOf, type PickupClock, undatedText } from './deadlines.js';
import { noShowOf } from './no-show.js';
import { percentAttribute } from './numbers.js';
import { RULE } from './payment-rules.js';
import { codeAttribute } from './table.js';
import { formattedText } from './texts.js';
import { child, childrenNamed, flag, textOf, type XmlNode } from './wire.js';

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
  readonly pickup: PickupClock;
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
 * free (docs/trade.md#terms-as-text): if any penalty can't be read, what is known of the others may not apply either, so
 * only texts remain, with a warning.
 */
export function cancellationOf(sources: CancellationSources, context: AmountContext): Cancellation {
  const nodes = sources.holders.flatMap((holder) => childrenNamed(holder, 'CancelPenaltyInfo', MOST_TERMS));
  const rules = sources.paymentRules.filter((rule) => codeAttribute(rule, 'RuleType', 'RUL') === RULE.cancel);
  const { fee: noShowFee, terms: noShow } = noShowOf(sources.holders, sources.paymentRules, sources.pickup, context);
  const absent = { noShowFee, noShow };
  const stated = [...nodes, ...rules];
  refuseMoreThan(MOST_TERMS, stated.length, 'cancellation terms of a car');
  if (stated.length > 0) {
    const penalties = readable(stated, sources, context);
    if (penalties) return structured(penalties, absent, sources.total);
    return inWords([...stated.flatMap((node) => wordsOf(node) ?? []), ...textsAbout(sources)], absent);
  }
  const penalty = flag(sources.restrictions, 'CancellationPenaltyInd');
  if (penalty === false) return { refundable: true, rules: [], ...absent, source: 'structured' };
  if (penalty === true) return { rules: [{ text: 'A cancellation penalty applies' }], ...absent, source: 'structured' };
  return inWords(textsAbout(sources), absent);
}

function inWords(texts: readonly string[], absent: Pick<Cancellation, 'noShowFee' | 'noShow'>): Cancellation {
  return { rules: texts.map((text) => ({ text })), ...absent, source: texts.length > 0 ? 'text' : 'unknown' };
}

function textsAbout({ terms }: CancellationSources): readonly string[] {
  return terms.flatMap((term) => (term.text !== undefined && isAboutCancelling(term) ? [term.text] : []));
}

/** Whether texts are about cancellation: those that cars share are read once. */
const aboutCancelling = new WeakMap<Term, boolean>();

function isAboutCancelling(term: Term): boolean {
  const isAbout = aboutCancelling.get(term) ?? /cancel|refund/i.test(term.text ?? '');
  aboutCancelling.set(term, isAbout);
  return isAbout;
}

/** A penalty in the supplier's words. */
function wordsOf(node: XmlNode): string | undefined {
  const described = child(node, 'PenaltyDescription') ?? child(node, 'Description');
  return formattedText(described) ?? textOf(described) ?? textOf(child(described, 'Text')) ?? textOf(node);
}

/** Undefined, with a warning, if a penalty can't be read. */
function readable(
  nodes: readonly XmlNode[],
  sources: CancellationSources,
  context: AmountContext,
): readonly Penalty[] | undefined {
  try {
    return nodes.map((node) => penaltyOf(node, sources, context));
  } catch (error) {
    if (!(error instanceof UnreadableAmountError)) throw error;
    context.warnings.add('amount_rejected', `cancellation penalties left out: ${error.message}`);
    return undefined;
  }
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
  const untils = endsOf(sorted);
  return {
    refundable: lost ? false : freeUntil === undefined ? undefined : true,
    freeUntil,
    rules: sorted.map(({ from, fee, percent, text }, index) => ({
      from,
      until: untils[index],
      fee,
      percent,
      text,
    })),
    ...absent,
    source: 'structured',
  };
}

/** When each of the sorted penalties ends: where the next later one begins. Several may apply from the same moment. */
function endsOf(sorted: readonly Penalty[]): readonly (LocalDateTime | undefined)[] {
  const ends: (LocalDateTime | undefined)[] = [];
  for (let index = sorted.length - 1; index >= 0; index -= 1) {
    const next = sorted[index + 1]?.from;
    ends[index] = next === sorted[index]?.from ? ends[index + 1] : next;
  }
  return ends;
}

function takesAll(penalty: Penalty, total: Money): boolean {
  if (penalty.text !== undefined) return false;
  return Number(penalty.percent ?? 0) >= 100 || (penalty.fee?.amountMinor ?? 0) >= total.amountMinor;
}

/** Throws UnreadableAmountError if its cost can't be read. */
function penaltyOf(node: XmlNode, sources: CancellationSources, context: AmountContext): Penalty {
  const deadline = child(node, 'Deadline') ?? node;
  const fee = child(node, 'PenaltyFee') ?? child(node, 'AmountPercent') ?? node;
  const { form } = context;
  const percent =
    percentAttribute(fee, 'Percent', form) ??
    percentAttribute(fee, 'Percentage', form) ??
    percentAttribute(child(fee, 'Calculation'), 'Percentage', form);
  const from = deadlineOf(deadline, sources.pickup, form);
  return {
    from,
    fee: notNegative(ownAmount(fee, 'Amount', context), 'a penalty'),
    percent: percent === undefined ? undefined : String(percent),
    text: from === undefined ? undatedText(deadline) : undefined,
    nonRefundable: flag(node, 'NonRefundable') === true || flag(node, 'NonRefundableInd') === true,
  };
}
