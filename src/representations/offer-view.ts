import type { KeyObject } from 'node:crypto';
import { inclusionsOf } from '../model/inclusions.js';
import type { Money } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import { toUtc } from '../places/places.js';
import { timeZonesOf } from '../suppliers/time-zones.js';
import { type JsonBytes, MergedObjects } from './json-bytes.js';
import type { LocationFactsCache } from './location-view.js';
import { expiryOf, offerId, type ReducedOffer, type SearchKey, shownOf } from './offer-id.js';
import type { offerWire } from './offers.wire.js';
import { RentalViews } from './rental-view.js';
import type { WireView } from './wire-view.js';

const DAY_MS = 86_400_000;

/** An offer in a response (docs/model.md#offer): id, expiry and the rental. */
export type OfferView = WireView<typeof offerWire>;

/** An offer whose rental is written already, for the answers of several requests. */
export interface WrittenOffer extends ReducedOffer {
  readonly json: OfferJson;
  /** Its included coverages (model/inclusions.ts). */
  readonly inclusions: string | undefined;
  /** When the supplier sent it, in epoch milliseconds. */
  readonly answeredAt: number;
  /** The earliest instant at which its free cancellation may end, in epoch milliseconds; Infinity without one. It is written as free. */
  readonly freeEndsAt: number;
}

/**
 * The JSON of an offer: its rental, written once, behind the id and expiry for the caller that got it last. Another application or search
 * gets its own id.
 */
export class OfferJson {
  /** Not from the pool that buffers share: a kept piece of it would keep all of it. */
  #bytes: Buffer;
  #headBytes = 0;
  #owner: string | undefined;

  /** `rental` is the JSON of the rental without the opening brace. */
  constructor(rental: string) {
    this.#bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(rental));
    this.#bytes.write(rental);
  }

  /** Memory of its bytes. */
  get length(): number {
    return this.#bytes.length;
  }

  /** The JSON for `owner`, which identifies all that `head` depends on: the opening brace, id and expiry, in ASCII. */
  for(owner: string, head: () => string): Buffer {
    if (owner === this.#owner) return this.#bytes;
    const start = head();
    const bytes = Buffer.allocUnsafeSlow(start.length + this.#bytes.length - this.#headBytes);
    bytes.write(start, 'latin1');
    this.#bytes.copy(bytes, start.length, this.#headBytes);
    this.#bytes = bytes;
    this.#headBytes = start.length;
    this.#owner = owner;
    return bytes;
  }
}

/** An offer of a search. It is written once if the supplier's answers are kept in memory, otherwise only if it is returned. */
export type SearchedOffer = SupplierOffer | WrittenOffer;

/** What a written offer needs besides its rental and its supplierRef, which is an object and part of the id. */
const OFFER_BYTES = 2_000;
const REF_TIMES = 4;

/** The memory that a written offer needs, in bytes. */
export function writtenBytes({ json, supplierRef, shown }: WrittenOffer): number {
  return json.length + shown.length + REF_TIMES * JSON.stringify(supplierRef).length + OFFER_BYTES;
}

/** Converts the offers of one response. */
export class OfferViews {
  readonly #rentals: RentalViews;
  /** Whom the ids of this response are for. */
  readonly #owner: string;
  readonly #memoryOwner: string;
  #instant: { readonly ms: number; readonly text: string } | undefined;

  /** `now` is in epoch milliseconds. `displayCurrency` is what the caller requested; `isSimulated` under a scenario. */
  constructor(
    private readonly search: SearchKey,
    private readonly application: string,
    facts: LocationFactsCache,
    private readonly key: KeyObject,
    private readonly now: number,
    private readonly ttlSeconds: number,
    private readonly displayCurrency?: string,
    private readonly isSimulated = false,
  ) {
    this.#rentals = new RentalViews(facts);
    this.#owner = JSON.stringify([application, search, displayCurrency]);
    this.#memoryOwner = `${this.#owner} from memory`;
  }

  /**
   * Converts what may fail in an offer, so that `of` can't: most offers of a search are never returned. Throws a RangeError
   * if the offer can't be written.
   */
  prepare(supplier: string, offer: SupplierOffer): void {
    this.#rentals.prepare(supplier, offer);
  }

  /** Writes the rental of an offer and reduces the offer to what a search needs besides it. Throws like `prepare`. */
  write(supplier: string, offer: SupplierOffer): WrittenOffer {
    const { brand, status, supplierRef, expiresAt, vehicle, pickup, rate, price, distancePolicy, cancellation } = offer;
    const { sippCode, name, make, model, seats, doors, bagsLarge, bagsSmall, transmission, airConditioning, fuel } =
      vehicle;
    const { latitude, longitude, iataCode, code, counter } = pickup;
    return {
      json: new OfferJson(JSON.stringify(this.#rentals.of(supplier, offer)).slice(1)),
      shown: shownOf(offer),
      inclusions: inclusionsOf(offer.coverages),
      answeredAt: Date.now(),
      freeEndsAt: freeEndOf(offer),
      brand,
      status,
      supplierRef,
      ...(expiresAt === undefined ? {} : { expiresAt }),
      vehicle: {
        sippCode,
        name,
        make,
        model,
        seats,
        doors,
        bagsLarge,
        bagsSmall,
        transmission,
        airConditioning,
        fuel,
      },
      pickup: { latitude, longitude, iataCode, code, brand: pickup.brand, counter },
      rate: { payment: rate.payment },
      price: { total: price.total, dueNow: price.dueNow, display: price.display },
      rentalDays: Math.min(offer.rentalDays, startedDays(offer)),
      distancePolicy: distancePolicy.some(({ unlimited }) => unlimited) ? UNLIMITED : distancePolicy,
      cancellation: { freeUntil: cancellation.freeUntil },
    };
  }

  /** When a written offer expires, in epoch milliseconds. */
  expiryOf(offer: WrittenOffer): number {
    return expiryOf(offer, Math.min(this.now, offer.answeredAt), this.ttlSeconds);
  }

  /** When an offer of a search expires, in epoch milliseconds. */
  expiryOfSearched(offer: SearchedOffer): number {
    return 'json' in offer ? this.expiryOf(offer) : expiryOf(offer, this.now, this.ttlSeconds);
  }

  /** The JSON of one offer. */
  bytesOf(supplier: string, offer: SearchedOffer): JsonBytes {
    if ('json' in offer) {
      const isFromMemory = offer.answeredAt < this.now;
      const owner = isFromMemory ? this.#memoryOwner : this.#owner;
      return offer.json.for(owner, () => this.#headJson(supplier, offer, this.expiryOf(offer), isFromMemory));
    }
    const head = this.#head(supplier, offer, offer.price.total, expiryOf(offer, this.now, this.ttlSeconds));
    const own = this.#rentals.own(supplier, offer);
    return new MergedObjects(JSON.stringify(head), JSON.stringify(own), this.#rentals.sharedJson(supplier, offer));
  }

  /** The opening brace, id and expiry, in ASCII. */
  #headJson(supplier: string, offer: WrittenOffer, expires: number, isFromMemory = false): string {
    const head = this.#head(supplier, offer, offer.price.total, expires, isFromMemory);
    return `${JSON.stringify(head).slice(0, -1)},`;
  }

  #head(
    supplier: string,
    offer: SearchedOffer,
    total: Money,
    expires: number,
    isFromMemory = false,
  ): Pick<OfferView, 'offer_id' | 'expires_at'> {
    const { application, search, displayCurrency } = this;
    const sealed = { application, supplier, offer, total, search, displayCurrency };
    const origin = isFromMemory ? 'memory' : this.isSimulated ? 'scenario' : 'supplier';
    return {
      offer_id: offerId({ ...sealed, expiresAt: Math.floor(expires / 1000) }, this.key, origin),
      expires_at: this.#instantOf(expires),
    };
  }

  /** Offers of one answer mostly expire at the same time. */
  #instantOf(ms: number): string {
    if (this.#instant?.ms === ms) return this.#instant.text;
    const text = new Date(ms).toISOString();
    this.#instant = { ms, text };
    return text;
  }

  /** Converts one offer. If it was priced with choices, pass it without them as `bare`, which goes into its id. */
  of(supplier: string, offer: SupplierOffer, bare: SupplierOffer = offer): OfferView {
    const expires = expiryOf(offer, this.now, this.ttlSeconds);
    return {
      ...this.#head(supplier, bare, bare.price.total, expires),
      ...this.#rentals.of(supplier, offer),
    };
  }
}

function freeEndOf({ cancellation: { freeUntil }, pickup }: SupplierOffer): number {
  if (freeUntil === undefined) return Infinity;
  return Math.min(...timeZonesOf(pickup).map((zone) => Date.parse(toUtc(freeUntil, zone))));
}

const UNLIMITED = [{ unlimited: true }] as const;

/** The started 24-hour periods between the dates of an offer, at least 1. */
function startedDays({ pickupDate, dropoffDate }: SupplierOffer): number {
  return Math.max(1, Math.ceil((Date.parse(`${dropoffDate}Z`) - Date.parse(`${pickupDate}Z`)) / DAY_MS));
}
