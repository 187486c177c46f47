import type { KeyObject } from 'node:crypto';
import type { Money } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import type { LocationFactsCache } from './location-view.js';
import { expiryOf, offerId, type SearchKey } from './offer-id.js';
import type { offerWire } from './offers.wire.js';
import { RentalViews } from './rental-view.js';
import type { WireView } from './wire-view.js';

/** An offer in a response (docs/model.md#offer): id, expiry and the rental. */
export type OfferView = WireView<typeof offerWire>;

/** Converts the offers of one response. */
export class OfferViews {
  readonly #rentals: RentalViews;

  /** `now` is in epoch milliseconds. */
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

  /**
   * Converts what may fail in an offer, so that `of` can't: most offers of a search are never returned. Throws a RangeError
   * if the offer can't be written.
   */
  prepare(supplier: string, offer: SupplierOffer): void {
    this.#rentals.prepare(supplier, offer);
  }

  /**
   * Converts one offer. If it was priced with chosen extras, pass the total without them as `total`, which goes into
   * its id.
   */
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
