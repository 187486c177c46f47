import type { KeyObject } from 'node:crypto';
import type { Money } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import type { LocationFactsCache } from './location-view.js';
import { expiryOf, offerId, type SearchKey } from './offer-id.js';
import type { offerWire } from './offers.wire.js';
import { RentalViews } from './rental-view.js';
import type { WireView } from './wire-view.js';

/** An offer on the wire (model.md Offer): id and expiry, then the rental. */
export type OfferView = WireView<typeof offerWire>;

/** Makes the views of offers for one answer. */
export class OfferViews {
  readonly #rentals: RentalViews;

  /** `now` is epoch milliseconds. */
  constructor(
    private readonly search: SearchKey,
    private readonly application: string,
    facts: LocationFactsCache,
    private readonly key: KeyObject,
    private readonly now: number,
    private readonly ttlSeconds: number,
  ) {
    this.#rentals = new RentalViews(facts);
  }

  /** Works out what an offer's places and dates need. Throws a RangeError for dates, coordinates or a length that cannot be. */
  prepare(supplier: string, offer: SupplierOffer): void {
    this.#rentals.prepare(supplier, offer);
  }

  /** One offer. `total` is what its id says, where the offer was priced with something chosen: the total without that. */
  of(supplier: string, offer: SupplierOffer, total: Money = offer.price.total): OfferView {
    const { application, search } = this;
    const expires = expiryOf(offer, this.now, this.ttlSeconds);
    return {
      offer_id: offerId(
        { application, supplier, offer, total, search, expiresAt: Math.floor(expires / 1000) },
        this.key,
      ),
      expires_at: new Date(expires).toISOString(),
      ...this.#rentals.of(supplier, offer),
    };
  }
}
