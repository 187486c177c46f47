import { randomBytes } from 'node:crypto';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type {
  BookingKey,
  BookRequest,
  ChangeKind,
  ModifyRequest,
  RentalRequest,
  SupplierBooking,
} from '../model/bookings.js';
import type { LocationDetailsRequest } from '../model/location-details.js';
import type { LocationSearch } from '../model/locations.js';
import type { SupplierOffer, VehicleSearch } from '../model/offers.js';
import type { Operation, SupplierAdapter } from '../model/supplier.js';
import type { Airport } from '../places/places.js';
import { Breach, must } from './breach.js';
import type { Ended } from './ended.js';
import type { Play } from './fault-server.js';
import { KitBookings, keyOf } from './kit-bookings.js';
import { bookable, type Chosen, NOTHING_CHOSEN, type Option, type OptionKind, optionOf } from './offer-choice.js';
import type { Findings, Questions } from './operations.js';
import { airportFor, othersNear, placeOf } from './rental-places.js';
import { RENTER } from './renter.js';

const DAY_MS = 86_400_000;

/** What to book; absent = an available car at the supplier's place, a month ahead, without options. */
export interface BookingOptions {
  readonly offer?: SupplierOffer;
  /** The search that found the offer. */
  readonly search?: VehicleSearch;
  readonly chosen?: Chosen;
}

/** A booking made by the kit, with its offer and request. */
export interface Booked {
  readonly offer: SupplierOffer;
  readonly request: BookRequest;
  readonly booking: SupplierBooking;
  readonly key: BookingKey;
}

/** The part of the bench that the subject uses. */
export interface Supply {
  readonly config: SupplierConfig;
  readonly adapter: SupplierAdapter;
  found<O extends Operation>(operation: O, question: Questions[O]): Promise<readonly Findings[O][]>;
  played<O extends Operation>(operation: O, play: Play, question: Questions[O]): Promise<Ended<Findings[O]>>;
}

/** Makes the requests that the kit sends: a rental a month ahead, an offer for it, a fictitious renter. */
export class Subject {
  readonly #airport: Airport;
  #offers: Promise<readonly SupplierOffer[]> | undefined;
  #sharedBooking: Promise<Booked> | undefined;
  readonly bookings: KitBookings;

  constructor(private readonly bench: Supply) {
    this.#airport = airportFor(bench.config);
    this.bookings = new KitBookings(bench);
  }

  locations(): LocationSearch {
    const { city, countryCode } = this.#airport;
    return { keyword: city, countryCode, brands: this.bench.config.brands };
  }

  vehicles({
    at = this.#airport,
    to = at,
    days = 3,
  }: {
    at?: Airport;
    to?: Airport;
    days?: number;
  } = {}): VehicleSearch {
    const { brands } = this.bench.config;
    return {
      pickup: placeOf(at),
      dropoff: placeOf(to),
      pickupDate: dayAhead(30),
      dropoffDate: dayAhead(30 + days),
      countryCode: 'US',
      age: 35,
      brands: this.bench.adapter.brandsPerCall === 'one' ? brands.slice(0, 1) : brands,
      sippCodes: [],
      discountCodes: [],
      loyalty: [],
      additionalDrivers: 0,
    };
  }

  /**
   * A request for the operation that the supplier can fulfill; makes and caches the searches and bookings it depends
   * on.
   */
  async question<O extends Operation>(operation: O): Promise<Questions[O]> {
    const makers: { readonly [P in Operation]: () => Promise<Questions[P]> } = {
      searchLocations: async () => this.locations(),
      searchVehicles: async () => this.vehicles(),
      priceCheck: async () => this.rental(await this.offer()),
      book: () => this.bookRequest(),
      retrieve: async () => (await this.sharedBooking()).key,
      modify: async () => this.changed(await this.sharedBooking(), this.firstChange()),
      cancel: async () => (await this.sharedBooking()).key,
      locationDetails: () => this.location(),
    };
    return makers[operation]();
  }

  /** Every offer at the supplier's place; searched once. */
  offers(): Promise<readonly SupplierOffer[]> {
    this.#offers ??= this.bench.found('searchVehicles', this.vehicles());
    return this.#offers;
  }

  /** The pickup location of the first offer. */
  async location(): Promise<LocationDetailsRequest> {
    const [offer] = await this.offers();
    must(offer !== undefined, 'found no car whose location could be read');
    const { code, iataCode, address } = offer.pickup;
    return { brand: offer.brand, location: { supplierCode: code, iataCode, countryCode: address.countryCode } };
  }

  /** An offer that can be booked now and paid at pickup. */
  async offer(): Promise<SupplierOffer> {
    return bookable(await this.offers(), `at ${this.#airport.iataCode}`);
  }

  /** A search with return at another airport of the country, and its offers. Throws a Breach if there are none. */
  async oneWay(): Promise<{ readonly search: VehicleSearch; readonly offers: readonly SupplierOffer[] }> {
    const others = othersNear(this.#airport);
    for (const to of others) {
      const search = this.vehicles({ to });
      const offers = await this.bench.found('searchVehicles', search);
      if (offers.length > 0) return { search, offers };
    }
    const places = others.map(({ iataCode }) => iataCode).join(', ');
    throw new Breach(
      `found no one-way car from ${this.#airport.iataCode} to ${places || 'any other airport'}; if the supplier has no one-way rentals, skip the case with that reason`,
    );
  }

  rental(offer: SupplierOffer, search = this.vehicles()): RentalRequest {
    const { pickup, dropoff, pickupDate, dropoffDate, countryCode, age } = search;
    const { brand, supplierRef } = offer;
    return {
      brand,
      ref: supplierRef,
      pickup,
      dropoff,
      pickupDate,
      dropoffDate,
      countryCode,
      age,
      extras: [],
      coverages: [],
    };
  }

  /** A booking request with a fresh price and a new reference. */
  async bookRequest({ offer, search, chosen = NOTHING_CHOSEN }: BookingOptions = {}): Promise<BookRequest> {
    const rental = { ...this.rental(offer ?? (await this.offer()), search), ...chosen };
    const priced = await this.priced(rental);
    return {
      ...rental,
      ref: priced.supplierRef,
      reference: `kit_${randomBytes(8).toString('hex')}`,
      total: priced.price.total,
      status: priced.status,
      driver: RENTER,
      additionalDrivers: [],
      payment: { type: 'counter' },
      pickupLater: false,
      notifyCustomer: false,
    };
  }

  /** Makes a booking at the supplier. */
  async book(options: BookingOptions = {}): Promise<Booked> {
    const offer = options.offer ?? (await this.offer());
    const request = await this.bookRequest({ ...options, offer });
    const [booking] = await this.bench.found('book', request);
    must(booking !== undefined && booking.confirmationNumber !== undefined, 'the booking has no confirmation number');
    return { offer, request, booking, key: keyOf(request, booking) };
  }

  /** The kinds of changes that the adapter declares. */
  get changes(): readonly ChangeKind[] {
    return this.bench.adapter.modify ? (this.bench.adapter.booking?.changes ?? []) : [];
  }

  firstChange(): ChangeKind {
    const [kind] = this.changes;
    must(kind !== undefined, 'the adapter has modify, but booking.changes is empty');
    return kind;
  }

  /** The complete change request for one kind of change, with a new price check if the change affects the price. */
  async changed({ request, booking }: Booked, kind: ChangeKind): Promise<ModifyRequest> {
    const base = {
      ...request,
      confirmationNumber: booking.confirmationNumber ?? '',
      changes: [kind],
      ref: { ...request.ref, ...booking.ref },
    };
    switch (kind) {
      case 'contact':
        return { ...base, driver: { ...request.driver, email: 'sampleton.ada@example.com' } };
      case 'arrival':
        return { ...base, arrival: { carrierCode: 'BA', flightNumber: '213' } };
      case 'remark':
        return { ...base, remark: 'Parking level two' };
      case 'rental': {
        const search = this.vehicles({ days: 4 });
        const offers = await this.bench.found('searchVehicles', search);
        const offer = bookable(
          offers.filter(({ brand }) => brand === request.brand),
          'for one more day',
        );
        return this.#repriced(base, this.rental(offer, search));
      }
      case 'extras':
      case 'coverages': {
        const { chosen } = await this.option(kind);
        return this.#repriced(base, { ...rentalOf(request), ...chosen });
      }
    }
  }

  /** An option of one kind for the offer. Throws a Breach if there is none. */
  async option(kind: OptionKind): Promise<Option> {
    return optionOf(kind, await this.priced(this.rental(await this.offer())));
  }

  async #repriced(base: ModifyRequest, rental: RentalRequest): Promise<ModifyRequest> {
    const { supplierRef, price } = await this.priced(rental);
    return { ...base, ...rental, ref: { ...base.ref, ...supplierRef }, total: price.total };
  }

  async priced(rental: RentalRequest): Promise<SupplierOffer> {
    const [priced] = await this.bench.found('priceCheck', rental);
    must(priced !== undefined, 'the price check of an offer just found returned no item');
    return priced;
  }

  /** A booking that exists for the time of a case; made once and shared. */
  sharedBooking(): Promise<Booked> {
    this.#sharedBooking ??= this.book();
    return this.#sharedBooking;
  }
}

function rentalOf({
  brand,
  ref,
  pickup,
  dropoff,
  pickupDate,
  dropoffDate,
  countryCode,
  age,
  extras,
  coverages,
}: BookRequest): RentalRequest {
  return { brand, ref, pickup, dropoff, pickupDate, dropoffDate, countryCode, age, extras, coverages };
}

function dayAhead(days: number): string {
  return `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T10:00:00`;
}
