import type { ChargeKind, PaymentType, SupplierOffer } from '../model/offers.js';
import { addedChoice, type ComparedChoices, costOf } from './charges-besides.js';

/** Payments of which some or all is due now. */
const IN_ADVANCE: ReadonlySet<string> = new Set<PaymentType>(['pay_partial', 'pay_now']);

/** The kinds of items that are chosen options. */
const CHOSEN: ReadonlySet<string> = new Set<ChargeKind>(['equipment', 'coverage', 'additional_driver']);

/**
 * Whether the renter must pay in another way: more is due at another time, or a card is needed. A guarantee may be dropped. What is
 * paid in advance may be called a part or all, as the total may or may not contain what is chosen: what counts is whether more is due now.
 */
export function isOtherPayment(shown: string, now: PaymentType, isMoreDue: boolean): boolean {
  if (IN_ADVANCE.has(shown) && IN_ADVANCE.has(now)) return now !== shown && isMoreDue;
  return now !== shown && !(shown === 'guarantee' && now === 'pay_later');
}

/**
 * How much may be due now without being worse than `shown`, both in the smallest unit of the total's currency: as much more as the total
 * rose, because the price of an extra may be due now, or a share of the total. With other choices, an extra that is paid at the counter
 * may have been replaced by one that is paid now. Without a limit if the currency is another one.
 */
export function mostDueNow(shown: number, offer: SupplierOffer, choices: ComparedChoices): number {
  const { total, items } = offer.price;
  const before = choices.total;
  if (before.currency !== total.currency) return Number.POSITIVE_INFINITY;
  const chosen = items.filter(({ kind, includedInTotal }) => CHOSEN.has(kind) && includedInTotal);
  const now = chosen.filter(({ payable }) => !choices.isSamePrice && payable === 'now');
  const cost = now.reduce((sum, { amount }) => sum + amount.amountMinor, 0);
  const codes = [...choices.now.extras.map(({ code }) => code), ...choices.now.coverages];
  // Required extras may be itemized although chosen ones aren't.
  const isItemized = chosen.some(({ code }) => code === undefined || codes.includes(code));
  const replaced = isItemized ? 0 : costOfReplacements(offer, choices);
  return shown + Math.max(0, total.amountMinor - before.amountMinor, cost, replaced);
}

/** The listed price of what was chosen instead of something else, for a supplier that doesn't itemize what is chosen; 0 if it isn't known. */
function costOfReplacements(offer: SupplierOffer, { before, now }: ComparedChoices): number {
  const left = addedChoice({ before: now, now: before });
  if (left.extras.length + left.coverages.length === 0) return 0;
  const cost = costOf(addedChoice({ before, now }), now, offer, offer.price.total.currency);
  return Number.isFinite(cost) ? cost : 0;
}
