import type { KeyObject } from 'node:crypto';
import { chosenView } from '../offers/chosen-view.js';
import { bareTotal } from '../offers/price-change.js';
import type { CheckedPrice } from '../offers/price-check.service.js';
import type { PricedKey } from '../offers/priced-key.js';
import type { LocationFactsCache } from '../representations/location-view.js';
import { moneyView } from '../representations/money-view.js';
import { expiryOf, searchText } from '../representations/offer-id.js';
import { OfferWriter } from '../representations/offer-view.js';
import { quoteId } from '../representations/quote-id.js';

/** What a quote is sealed and dated with. `now` is epoch milliseconds. */
export interface QuoteTerms {
  readonly facts: LocationFactsCache;
  readonly key: KeyObject;
  readonly now: number;
  readonly ttlSeconds: number;
}

/** A checked price as the JSON of a quote (docs/model.md#quote); `priced` is what the caller named. */
export function quoteJson(
  priced: PricedKey,
  checked: CheckedPrice,
  { facts, key, now, ttlSeconds }: QuoteTerms,
): string {
  const { supplier, request, offer, change } = checked;
  const { application, search: asked } = priced;
  const { extras, coverages } = request;
  const search = searchText([asked[0], asked[1], asked[2], asked[3], asked[4], request.age]);
  const expires = expiryOf(offer, now, ttlSeconds);
  const sealed = { application, supplier: supplier.id, offer, search, expiresAt: Math.floor(expires / 1000) };
  const writer = new OfferWriter(search, application, facts, key, now, ttlSeconds);
  const rest = JSON.stringify({
    ...chosenView(offer, request),
    price_change: change && {
      previous: moneyView(change.previous),
      current: moneyView(change.current),
      delta: moneyView(change.delta),
    },
    price_guarantee: 'none',
    expires_at: new Date(expires).toISOString(),
  });
  const id = quoteId({ ...sealed, total: offer.price.total, extras, coverages }, key);
  return `{"quote_id":"${id}","offer":${writer.write(supplier.id, offer, bareTotal(offer, request))},${rest.slice(1)}`;
}
