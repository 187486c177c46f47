import type { CheckedPrice } from '../offers/price-check.service.js';
import { refusalProblem } from '../offers/refusal.js';
import { ApiError } from '../status/api-error.js';
import { formatAmount, parseMoney } from '../suppliers/money.js';

/** What the caller accepts of a price, as the body says it. */
export interface Acceptance {
  readonly accepted_total?: { readonly amount: string; readonly currency: string } | undefined;
  readonly price_tolerance?: string | undefined;
}

/**
 * Throws ApiError 400 invalid_range (cause price_changed) when the price is higher than accepted: than `accepted_total`, or without one than the
 * id said for the same choice. Less is always fine.
 */
export function acceptPrice({ supplier, offer, change }: CheckedPrice, { accepted_total: accepted, price_tolerance }: Acceptance): void {
  const { total } = offer.price;
  if (accepted && accepted.currency !== total.currency) {
    const details = `The total is in ${total.currency}: accept it in that currency.`;
    throw ApiError.of('invalid_range', details, { field: 'accepted_total.currency' });
  }
  const more = accepted
    ? total.amountMinor - (parseMoney(accepted.amount, total.currency)?.amountMinor ?? 0)
    : change && (change.delta?.amountMinor ?? Number.POSITIVE_INFINITY);
  if (more === undefined || more <= (parseMoney(price_tolerance ?? '0', total.currency)?.amountMinor ?? 0)) return;
  const problem = refusalProblem('price_changed', supplier, accepted ? 'accepted_total' : undefined);
  const details = `The total is now ${formatAmount(total)} ${total.currency}. Show it to your customer and send it as "accepted_total", or price the offer again.`;
  throw new ApiError([{ ...problem, details }]);
}
