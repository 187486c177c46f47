import { decodeSipp } from '../model/acriss.js';
import type { SupplierLocation } from '../model/locations.js';
import type {
  Cancellation,
  Coverage,
  DistancePolicy,
  Extra,
  Rate,
  Requirements,
  SupplierOffer,
  Term,
  Vehicle,
} from '../model/offers.js';
import { ownCopy } from '../model/own-copy.js';
import { toUtc } from '../places/places.js';
import { type LocationFactsCache, locationSummaryView } from './location-view.js';
import { moneyView } from './money-view.js';
import type { rentalWire } from './offers.wire.js';
import { priceView } from './price-view.js';
import type { WireView } from './wire-view.js';

/**
 * The rental of an offer in a response (docs/model.md#offer, without id and expiry). Undefined members: not provided by
 * the supplier.
 */
export type RentalView = WireView<typeof rentalWire>;

/** The members that most offers of an answer share. They are written behind the others. */
type SharedView = Pick<RentalView, 'pickup' | 'dropoff' | 'terms'>;

type Own = Omit<RentalView, keyof SharedView>;

const NOTHING_SHARED = { pickup: undefined, dropoff: undefined, terms: undefined };

type StayView = RentalView['pickup'];

/** The views that were created for locations. */
type Stays = Map<SupplierLocation, StayView>;

/**
 * Converts the rentals of one response. Offers share objects (locations, terms, …); each shared object is converted once,
 * and so is its view.
 */
export class RentalViews {
  readonly #pickups: Stays = new Map();
  readonly #dropoffs: Stays = new Map();
  readonly #cancellation = once(cancellationView);
  readonly #requirements = once(requirementsView);
  readonly #terms = once(termsView);
  /** What was written last for a pickup: all offers of an answer, unless they differ in dropoff or terms. */
  readonly #written = new Map<StayView, { readonly view: SharedView; readonly json: Buffer }>();

  constructor(private readonly facts: LocationFactsCache) {}

  /**
   * Converts what may fail in an offer within the limits of an answer (suppliers/answers/limits.ts): its places and dates.
   * Throws a RangeError if they don't exist.
   */
  prepare(supplier: string, offer: SupplierOffer): void {
    this.#stay(this.#pickups, supplier, offer.pickup, offer.pickupDate);
    this.#stay(this.#dropoffs, supplier, offer.dropoff, offer.dropoffDate);
  }

  /**
   * Converts the rental of one offer, with the members in the order of the schema. Throws a RangeError for dates or
   * coordinates that don't exist.
   */
  of(supplier: string, offer: SupplierOffer): RentalView {
    return this.#view(supplier, offer, this.#shared(supplier, offer));
  }

  /** What an offer doesn't share with others; the shared members are undefined. */
  own(supplier: string, offer: SupplierOffer): Own {
    return this.#view(supplier, offer, NOTHING_SHARED);
  }

  /** The JSON of what `own` leaves out. Throws like `of`. */
  sharedJson(supplier: string, offer: SupplierOffer): Buffer {
    const view = this.#shared(supplier, offer);
    const known = this.#written.get(view.pickup);
    if (known?.view.dropoff === view.dropoff && known.view.terms === view.terms) return known.json;
    const json = Buffer.from(JSON.stringify(view));
    this.#written.set(view.pickup, { view, json });
    return json;
  }

  #shared(supplier: string, offer: SupplierOffer): SharedView {
    return {
      pickup: this.#stay(this.#pickups, supplier, offer.pickup, offer.pickupDate),
      dropoff: this.#stay(this.#dropoffs, supplier, offer.dropoff, offer.dropoffDate),
      terms: this.#terms(offer.terms),
    };
  }

  #view(supplier: string, offer: SupplierOffer, shared: SharedView): RentalView;
  #view(supplier: string, offer: SupplierOffer, shared: typeof NOTHING_SHARED): Own;
  #view(supplier: string, offer: SupplierOffer, shared: SharedView | typeof NOTHING_SHARED): Own & Partial<SharedView> {
    return {
      supplier,
      brand: offer.brand,
      status: offer.status,
      vehicle: vehicleView(offer.vehicle),
      pickup: shared.pickup,
      dropoff: shared.dropoff,
      rate: rateView(offer.rate),
      price: priceView(offer.price),
      rental_days: offer.rentalDays,
      distance_policy: offer.distancePolicy.map(distancePolicyView),
      fuel_policy: offer.fuelPolicy,
      coverages: offer.coverages.map(coverageView),
      extras: offer.extras.map(extraView),
      deposit: offer.deposit && { amount: moneyView(offer.deposit.amount), taken_at: offer.deposit.takenAt },
      cancellation: this.#cancellation(offer.cancellation),
      change_policy: offer.changes && { allowed: offer.changes.allowed, penalty: offer.changes.penalty },
      requirements: this.#requirements(offer.requirements),
      terms: shared.terms,
      dedupe_group: dedupeGroup(offer),
    };
  }

  #stay(stays: Stays, supplier: string, location: SupplierLocation, date: string): StayView {
    const known = stays.get(location);
    if (known?.date === date) return known;
    const facts = this.facts.of(supplier, location);
    const stay = {
      location: known?.location ?? locationSummaryView(supplier, location, facts),
      date,
      date_utc: toUtc(date, facts.timeZone),
    };
    stays.set(location, stay);
    return stay;
  }
}

/** Converts the rental of a single offer, as a reservation stores it. */
export function rentalView(supplier: string, offer: SupplierOffer, facts: LocationFactsCache): RentalView {
  return new RentalViews(facts).of(supplier, offer);
}

/** Caches the result of `make` per object. */
function once<From extends object, To>(make: (from: From) => To): (from: From) => To {
  const made = new Map<From, To>();
  return (from) => {
    let view = made.get(from);
    if (view === undefined) {
      view = make(from);
      made.set(from, view);
    }
    return view;
  };
}

function vehicleView(vehicle: Vehicle): RentalView['vehicle'] {
  return {
    sipp_code: vehicle.sippCode,
    sipp: sippView(vehicle.sippCode),
    name: vehicle.name,
    make: vehicle.make,
    model: vehicle.model,
    or_similar: vehicle.orSimilar,
    class_code: vehicle.classCode,
    class_name: vehicle.className,
    seats: vehicle.seats,
    doors: vehicle.doors,
    bags_large: vehicle.bagsLarge,
    bags_small: vehicle.bagsSmall,
    image_url: vehicle.imageUrl,
    transmission: vehicle.transmission,
    air_conditioning: vehicle.airConditioning,
    fuel: vehicle.fuel,
  };
}

type SippView = RentalView['vehicle']['sipp'];

const sippViews = new Map<string, SippView>();

function sippView(code: string | undefined): SippView {
  if (code === undefined) return undefined;
  if (sippViews.has(code)) return sippViews.get(code);
  const decoded = decodeSipp(code);
  const view = decoded && {
    category: decoded.category,
    type: decoded.type,
    transmission: decoded.transmission,
    drive: decoded.drive,
    fuel: decoded.fuel,
    air_conditioning: decoded.airConditioning,
  };
  if (sippViews.size < 10_000) sippViews.set(ownCopy(code), view);
  return view;
}

function rateView(rate: Rate): RentalView['rate'] {
  return {
    code: rate.code,
    type: rate.type,
    payment: rate.payment,
    inclusive: rate.inclusive,
    discounts_applied: rate.discountsApplied,
  };
}

function distancePolicyView(policy: DistancePolicy): RentalView['distance_policy'][number] {
  const { unlimited, included, per, overage } = policy;
  return {
    unlimited,
    included: included && { value: included.value, unit: included.unit },
    per,
    overage: moneyView(overage),
  };
}

function coverageView(coverage: Coverage): RentalView['coverages'][number] {
  return {
    code: coverage.code,
    type: coverage.type,
    name: coverage.name,
    included: coverage.included,
    mandatory: coverage.mandatory,
    price_per_day: moneyView(coverage.pricePerDay),
    price_total: moneyView(coverage.priceTotal),
    excess: moneyView(coverage.excess),
  };
}

function extraView(extra: Extra): RentalView['extras'][number] {
  return {
    extra_id: extra.code,
    type: extra.type,
    code: extra.code,
    name: extra.name,
    price_per_day: moneyView(extra.pricePerDay),
    price_total: moneyView(extra.priceTotal),
    max_quantity: extra.maxQuantity,
    mandatory: extra.mandatory,
  };
}

function cancellationView(cancellation: Cancellation): RentalView['cancellation'] {
  return {
    source: cancellation.source,
    refundable: cancellation.refundable,
    free_until: cancellation.freeUntil,
    rules: cancellation.rules.map(({ from, until, fee, percent, text }) => ({
      from,
      until,
      fee: moneyView(fee),
      percent,
      text,
    })),
    no_show_fee: moneyView(cancellation.noShowFee),
    no_show: cancellation.noShow && {
      cancel_by: cancellation.noShow.cancelBy,
      grace_until: cancellation.noShow.graceUntil,
      text: cancellation.noShow.text,
    },
  };
}

function requirementsView(requirements: Requirements): RentalView['requirements'] {
  return {
    min_age: requirements.minAge,
    max_age: requirements.maxAge,
    young_driver_fee: moneyView(requirements.youngDriverFee),
    flight_required: requirements.flightRequired,
    credit_card_required: requirements.creditCardRequired,
    accepted_cards: requirements.acceptedCards,
  };
}

function termsView(terms: readonly Term[]): RentalView['terms'] {
  return terms.map(({ kind, url, text }) => ({ kind, url, text }));
}

/**
 * Offers that differ only in supplier and price share a group: place, SIPP code, payment type and included coverages.
 */
function dedupeGroup(offer: SupplierOffer): string {
  const included = offer.coverages.filter((coverage) => coverage.included).map((coverage) => coverage.type);
  return `${offer.pickup.iataCode ?? offer.pickup.code}:${offer.vehicle.sippCode ?? offer.vehicle.name}:${offer.rate.payment}:${included.sort().join('+')}`;
}
