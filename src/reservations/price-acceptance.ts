import { formatAmount, parseMoney } from '../model/money.js';
import type { Choice } from '../offers/price-change.js';
import type { CheckedPrice } from '../offers/price-check.service.js';
import { refusalProblem } from '../offers/refusal.js';
import { ApiError } from '../status/api-error.js';

/** What the caller accepts of a price, as the body says it. */
export interface Acceptance {
  readonly accepted_total?: { readonly amount: string; readonly currency: string } | undefined;
  readonly price_tolerance?: string | undefined;
}

/**
 * Throws ApiError 400 invalid_range (cause price_changed) when the price is higher than accepted: than `accepted_total`, or without one than the
 * id said. Less is always fine. Who chooses more than the id has priced must say what total that comes to: 400 invalid_request without it.
 */
export function acceptPrice(
  priced: Choice,
  { supplier, request, offer, change }: CheckedPrice,
  { accepted_total: accepted, price_tolerance }: Acceptance,
): void {
  const { total } = offer.price;
  if (!accepted && choosesMore(priced, request)) {
    const details = `With what is chosen the total is ${formatAmount(total)} ${total.currency}. Send it as "accepted_total", or take a quote and book that.`;
    throw ApiError.of('invalid_request', details, { field: 'accepted_total' });
  }
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

/** Whether a choice has something, or more of it, than was priced. */
function choosesMore(priced: Choice, chosen: Choice): boolean {
  const had = (code: string): number => priced.extras.find((extra) => extra.code === code)?.quantity ?? 0;
  return (
    chosen.extras.some(({ code, quantity }) => quantity > had(code)) ||
    chosen.coverages.some((code) => !priced.coverages.includes(code))
  );
}
