import type { KeyObject } from 'node:crypto';
import { chosenView } from '../offers/chosen-view.js';
import { bareOffer } from '../offers/price-change.js';
import type { CheckedPrice } from '../offers/price-check.service.js';
import type { PricedKey } from '../offers/priced-key.js';
import type { LocationFactsCache } from '../representations/location-view.js';
import { moneyView } from '../representations/money-view.js';
import { expiryOf, type SearchKey } from '../representations/offer-id.js';
import { OfferViews } from '../representations/offer-view.js';
import { quoteId } from '../representations/quote-id.js';
import type { WireView } from '../representations/wire-view.js';
import type { SupplierRef } from '../suppliers/outcome.js';
import type { quoteWire } from './rates.wire.js';

/** The key and times for issuing a quote. `now` is in epoch milliseconds. */
export interface QuoteTerms {
  readonly facts: LocationFactsCache;
  readonly key: KeyObject;
  readonly now: number;
  readonly ttlSeconds: number;
  /** Whether the price was checked under a scenario. */
  readonly isSimulated: boolean;
}

/** Maps a checked price to a quote on the wire (docs/model.md#quote); `priced` is the caller's offer or quote. */
export function quoteView(
  priced: PricedKey,
  checked: Pick<CheckedPrice, 'request' | 'offer' | 'change' | 'display'> & { readonly supplier: SupplierRef },
  { facts, key, now, ttlSeconds, isSimulated }: QuoteTerms,
): WireView<typeof quoteWire> {
  const { supplier, request, offer, change, display } = checked;
  const { application, search: original } = priced;
  const { extras, coverages } = request;
  const search: SearchKey = [original[0], original[1], original[2], original[3], original[4], request.age];
  const expires = expiryOf(offer, now, ttlSeconds);
  const sealed = { application, supplier: supplier.id, offer, search, expiresAt: Math.floor(expires / 1000) };
  const views = new OfferViews(search, application, facts, key, now, ttlSeconds, display?.currency, isSimulated);
  return {
    quote_id: quoteId({ ...sealed, total: offer.price.total, extras, coverages, display }, key),
    offer: views.of(supplier.id, offer, bareOffer(offer, request)),
    ...chosenView(offer, request),
    price_change: change && {
      previous: moneyView(change.previous),
      current: moneyView(change.current),
      delta: moneyView(change.delta),
    },
    price_guarantee: 'none',
    expires_at: new Date(expires).toISOString(),
  };
}
