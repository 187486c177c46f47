import { formatAmount, roundedMoney } from '../model/money.js';
import { type Choice, hasSameChoices } from '../offers/price-change.js';
import type { CheckedPrice } from '../offers/price-check.service.js';
import type { PricedKey } from '../offers/priced-key.js';
import { refusalProblem } from '../offers/refusal.js';
import { moneyView } from '../representations/money-view.js';
import { otherPlaces } from '../representations/shown-places.js';
import { worseTerms } from '../representations/shown-terms.js';
import { ApiError } from '../status/api-error.js';

/** The price acceptance fields of a body. */
export interface Acceptance {
  readonly accepted_total?: { readonly amount: string; readonly currency: string } | undefined;
  readonly price_tolerance?: string | undefined;
}

/**
 * Throws ApiError 400 invalid_range (cause price_changed, with the total) if the price is above `accepted_total` or, without it, above
 * the total of the offer or quote. A lower price is always accepted. Choosing more than the offer or quote includes
 * requires `accepted_total`: 400 invalid_request without it.
 */
export function acceptPrice(
  priced: Choice,
  { supplier, request, offer, change }: CheckedPrice,
  { accepted_total: accepted, price_tolerance }: Acceptance,
): void {
  const { total } = offer.price;
  if (!accepted && choosesMore(priced, request)) {
    const details = `With the chosen extras and coverages, the total is ${formatAmount(total)} ${total.currency}. Send it as "accepted_total", or get a quote and book that.`;
    throw ApiError.of('invalid_request', details, { field: 'accepted_total' });
  }
  if (accepted && accepted.currency !== total.currency) {
    const details = `The total is in ${total.currency}. Send "accepted_total" in that currency.`;
    throw ApiError.of('invalid_range', details, { field: 'accepted_total.currency' });
  }
  const more = accepted
    ? total.amountMinor - (roundedMoney(accepted.amount, total.currency)?.amountMinor ?? 0)
    : change?.delta.amountMinor;
  if (more === undefined || more <= (roundedMoney(price_tolerance ?? '0', total.currency)?.amountMinor ?? 0)) return;
  const problem = refusalProblem('price_changed', supplier, accepted ? 'accepted_total' : undefined);
  const details = `The total is now ${formatAmount(total)} ${total.currency}. Show it to your customer and send it as "accepted_total", or price the offer again.`;
  throw new ApiError([{ ...problem, details, total: moneyView(total) }]);
}

/**
 * Throws ApiError 400 invalid_request (cause offer_changed) naming another pickup or dropoff location than in the offer or quote, and
 * each term that is worse: the way of payment, cancellation, included distance and coverages, mandatory charges besides the total, the
 * amount due now and, of a quote, the deposit. A new quote shows them.
 */
export function acceptTerms(priced: PricedKey, { supplier, request, offer, change, convert }: CheckedPrice): void {
  const isSameAge = request.age === priced.search[5];
  const terms = worseTerms(priced.terms ?? {}, offer, {
    total: priced.total,
    isSamePrice: change === undefined && hasSameChoices(priced, request),
    isSameAge,
    ...(convert && { convert }),
    before: priced,
    now: request,
  });
  const worse = [...(priced.places ? otherPlaces(priced.places, offer, request) : []), ...terms];
  if (worse.length === 0) return;
  const details = `${supplier.name} has changed the terms: ${worse.join(', ')}. Nothing was booked or changed. Price the offer again${isSameAge ? '' : ` for the age of ${request.age}`}, show the terms to your customer, and send the "quote_id".`;
  throw ApiError.of('invalid_request', details, {
    cause: 'offer_changed',
    supplier: supplier.id,
    field: `${priced.kind}_id`,
  });
}

/** Whether a choice contains more than was priced. */
function choosesMore(priced: Choice, chosen: Choice): boolean {
  const had = (code: string): number => priced.extras.find((extra) => extra.code === code)?.quantity ?? 0;
  return (
    chosen.extras.some(({ code, quantity }) => quantity > had(code)) ||
    chosen.coverages.some((code) => !priced.coverages.includes(code))
  );
}
