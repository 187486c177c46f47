import type { KeyObject } from 'node:crypto';
import type { Money } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import type { LocationFactsCache } from './location-view.js';
import { expiryOf, offerId } from './offer-id.js';
import { RentalWriter } from './rental-view.js';

/** Writes offers on the wire (docs/model.md#offer) as JSON text: id and expiry, then the rental. One writer serves one answer. */
export class OfferWriter {
  readonly #rentals: RentalWriter;

  /** `search` is the searchText of the answer, `now` epoch milliseconds. */
  constructor(
    private readonly search: string,
    private readonly application: string,
    facts: LocationFactsCache,
    private readonly key: KeyObject,
    private readonly now: number,
    private readonly ttlSeconds: number,
  ) {
    this.#rentals = new RentalWriter(facts);
  }

  /** Works out what an offer's places and dates need. Throws a RangeError for dates, coordinates or a length that cannot be. */
  prepare(supplier: string, offer: SupplierOffer): void {
    this.#rentals.prepare(supplier, offer);
  }

  /** One offer as a JSON object. `total` is what its id says, where the offer was priced with something chosen: the total without that. */
  write(supplier: string, offer: SupplierOffer, total: Money = offer.price.total): string {
    const { application, search } = this;
    const expires = expiryOf(offer, this.now, this.ttlSeconds);
    const id = offerId(
      { application, supplier, offer, total, search, expiresAt: Math.floor(expires / 1000) },
      this.key,
    );
    return `{"offer_id":"${id}","expires_at":"${new Date(expires).toISOString()}",${this.#rentals.members(supplier, offer)}}`;
  }
}
