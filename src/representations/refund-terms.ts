import type { Money } from '../model/money.js';
import type { Cancellation } from '../model/offers.js';

type Terms = Pick<Cancellation, 'refundable' | 'freeUntil' | 'rules'>;
type Rule = Pick<Cancellation['rules'][number], 'fee' | 'percent'>;

/**
 * Whether terms say of a rate without a deadline that it is refundable, whenever it is canceled: none of their rules, which may begin
 * later, takes all of the total.
 */
export function isRefundable({ refundable, freeUntil, rules }: Terms, total: Money): boolean {
  return refundable === true && freeUntil === undefined && !rules.some((rule) => takesAll(rule, total));
}

/** Whether terms say that nothing is refunded: with the flag, or with a fee of the total that applies from the beginning. */
export function isNonrefundable({ refundable, rules }: Terms, total: Money): boolean {
  // A text may say when the fee applies.
  const always = rules.filter(({ from, text }) => from === undefined && text === undefined);
  return refundable === false || always.some((rule) => takesAll(rule, total));
}

/** Whether terms without a deadline say nothing that ends free cancellation: the flag alone, as in some price checks. */
export function isOpenEnded({ refundable, freeUntil, rules }: Terms): boolean {
  return refundable === true && freeUntil === undefined && rules.length === 0;
}

/** A fee in another currency can't be compared. */
function takesAll({ fee, percent }: Rule, { currency, amountMinor }: Money): boolean {
  return Number(percent ?? 0) >= 100 || (fee?.currency === currency && fee.amountMinor >= amountMinor);
}
