import { randomBytes } from 'node:crypto';
import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { type Airport, airportByIata, airports } from '../../places/places.js';
import type { BookingKey, BookRequest, ChangeKind, ModifyRequest, RentalRequest, SupplierBooking } from '../booking-models.js';
import type { LocationSearch, PlaceRef, SupplierOffer, VehicleSearch } from '../models.js';
import type { Operation, SupplierAdapter } from '../supplier.js';
import { must } from './breach.js';
import type { Ended } from './ended.js';
import { type Play, pass } from './fault-server.js';
import type { Findings, Questions } from './operations.js';

const DAY_MS = 86_400_000;
const DEFAULT_PLACE = 'BOS';
/** Small and large digits: no minor units, three of them. */
export const ODD_CURRENCY_PLACES = ['HND', 'NRT', 'AMM', 'BAH', 'KWI'] as const;

/** The renter of the kit. Every value is one that cannot turn up in a URL or a message by accident. */
export const RENTER = {
  firstName: 'Ada',
  lastName: 'Sampleton',
  email: 'ada.sampleton@example.com',
  phone: '+16175550143',
  dateOfBirth: '1984-02-29',
  licence: { number: 'S98765432', countryCode: 'US' },
  address: { lines: ['17 Sampleton Row'], city: 'Boston', postalCode: '02128', countryCode: 'US' },
  loyalty: [{ number: 'LOY7712345' }],
} as const;

/** Texts that identify the renter, wherever they may stand. */
export const PERSONAL_TEXTS: readonly string[] = [
  RENTER.lastName,
  RENTER.email,
  RENTER.phone.slice(-10),
  RENTER.dateOfBirth,
  RENTER.licence.number,
  RENTER.loyalty[0].number,
];

/** A booking of the kit and what it was made of. */
export interface Booked {
  readonly request: BookRequest;
  readonly booking: SupplierBooking;
  readonly key: BookingKey;
}

/** What the subject needs of the bench it lies on. */
export interface Supply {
  readonly config: SupplierConfig;
  readonly adapter: SupplierAdapter;
  found<O extends Operation>(operation: O, question: Questions[O]): Promise<readonly Findings[O][]>;
  played<O extends Operation>(operation: O, play: Play, question: Questions[O]): Promise<Ended<Findings[O]>>;
}

/** Makes the questions that the kit asks a supplier: a rental a month ahead, the offer it finds, a renter who does not exist. */
export class Subject {
  readonly #airport: Airport;
  #offers: Promise<readonly SupplierOffer[]> | undefined;
  #standing: Promise<Booked> | undefined;
  readonly #made: BookingKey[] = [];

  constructor(private readonly bench: Supply) {
    this.#airport = airportFor(bench);
  }

  locations(): LocationSearch {
    const { city, countryCode } = this.#airport;
    return { keyword: city, countryCode, brands: this.bench.config.brands };
  }

  vehicles(airport = this.#airport, days = 3): VehicleSearch {
    const { brands } = this.bench.config;
    const place = placeOf(airport);
    return {
      pickup: place,
      dropoff: place,
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

  /** A question for the operation that the supplier can answer; searches and bookings it needs are made on the way and kept. */
  async question<O extends Operation>(operation: O): Promise<Questions[O]> {
    const makers: { readonly [P in Operation]: () => Promise<Questions[P]> } = {
      searchLocations: async () => this.locations(),
      searchVehicles: async () => this.vehicles(),
      priceCheck: async () => this.rental(await this.offer()),
      book: () => this.bookRequest(),
      retrieve: async () => (await this.standing()).key,
      modify: async () => this.changed(await this.standing(), this.firstChange()),
      cancel: async () => (await this.standing()).key,
    };
    return makers[operation]();
  }

  /** An offer that can be booked and paid at the counter. */
  async offer(): Promise<SupplierOffer> {
    this.#offers ??= this.bench.found('searchVehicles', this.vehicles());
    return bookable(await this.#offers, `at ${this.#airport.iataCode}`);
  }

  rental(offer: SupplierOffer, search = this.vehicles()): RentalRequest {
    const { pickup, dropoff, pickupDate, dropoffDate, countryCode, age } = search;
    const { brand, supplierRef } = offer;
    return { brand, ref: supplierRef, pickup, dropoff, pickupDate, dropoffDate, countryCode, age, extras: [], coverages: [] };
  }

  /** A booking to make, just priced, under a reference of its own. */
  async bookRequest(offer?: SupplierOffer, search?: VehicleSearch): Promise<BookRequest> {
    const rental = this.rental(offer ?? (await this.offer()), search);
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

  /** Books for real. */
  async book(offer?: SupplierOffer, search?: VehicleSearch): Promise<Booked> {
    const request = await this.bookRequest(offer, search);
    const [booking] = await this.bench.found('book', request);
    must(booking !== undefined && booking.confirmationNumber !== undefined, 'a booking that was made has no confirmation number');
    const key = keyOf(request, booking);
    this.#made.push(key);
    return { request, booking, key };
  }

  /** The kinds of changes that the adapter says it can make. */
  get changes(): readonly ChangeKind[] {
    return this.bench.adapter.modify ? (this.bench.adapter.booking?.changes ?? []) : [];
  }

  firstChange(): ChangeKind {
    const [kind] = this.changes;
    must(kind !== undefined, 'the adapter has modify, but booking.changes names nothing that it changes');
    return kind;
  }

  /** A booking with one thing changed, in whole; priced anew where the change needs it. */
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
        const search = this.vehicles(this.#airport, 4);
        const offers = await this.bench.found('searchVehicles', search);
        const offer = bookable(
          offers.filter(({ brand }) => brand === request.brand),
          'for one day more',
        );
        return this.#repriced(base, this.rental(offer, search));
      }
      case 'extras': {
        const [extra] = (await this.offer()).extras;
        return this.#repriced(base, { ...rentalOf(request), extras: extra ? [{ code: extra.code, quantity: 1 }] : [] });
      }
      case 'coverages': {
        const coverage = (await this.offer()).coverages.find(({ included }) => !included);
        return this.#repriced(base, { ...rentalOf(request), coverages: coverage ? [coverage.code] : [] });
      }
    }
  }

  async #repriced(base: ModifyRequest, rental: RentalRequest): Promise<ModifyRequest> {
    const { supplierRef, price } = await this.priced(rental);
    return { ...base, ...rental, ref: { ...base.ref, ...supplierRef }, total: price.total };
  }

  async priced(rental: RentalRequest): Promise<SupplierOffer> {
    const [priced] = await this.bench.found('priceCheck', rental);
    must(priced !== undefined, 'the price check of an offer that was just found has no item');
    return priced;
  }

  /** A booking that stands while nothing of a case reaches the supplier. */
  standing(): Promise<Booked> {
    this.#standing ??= this.book();
    return this.#standing;
  }

  /** Cancels whatever was booked, at the end. Numbers of what could not be cancelled. */
  async clearUp(): Promise<readonly string[]> {
    const left: string[] = [];
    for (const key of this.#made) {
      const { items } = await this.bench.played('cancel', pass, key);
      if (!items) left.push(key.confirmationNumber ?? key.reference);
    }
    return left;
  }
}

/** Names a booking that was made to its supplier, as the engine does afterwards. */
export function keyOf(request: BookRequest, booking?: SupplierBooking): BookingKey {
  const { brand, reference, driver, pickup, pickupDate, ref } = request;
  return {
    brand,
    reference,
    firstName: driver.firstName,
    lastName: driver.lastName,
    pickup,
    pickupDate,
    ref: { ...ref, ...booking?.ref },
    ...(booking?.confirmationNumber === undefined ? {} : { confirmationNumber: booking.confirmationNumber }),
  };
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

function bookable(offers: readonly SupplierOffer[], where: string): SupplierOffer {
  const offer = offers.find(({ status, rate, requirements }) => {
    return status === 'available' && (rate.payment === 'pay_later' || rate.payment === 'guarantee') && !requirements.creditCardRequired;
  });
  must(
    offer !== undefined,
    `no offer ${where} can be booked and paid at the counter; \`contract.place\` of its file names a better airport`,
  );
  return offer;
}

function airportFor({ config }: Supply): Airport {
  const { place } = config.contract;
  const served =
    config.countries.length === 0 ? undefined : airports.find(({ countryCode, large }) => large && config.countries.includes(countryCode));
  const airport = airportByIata(place ?? served?.iataCode ?? DEFAULT_PLACE);
  if (!airport) throw new Error(`suppliers/${config.id}.yaml contract.place: ${place} is no airport`);
  return airport;
}

function placeOf({ iataCode, name, countryCode, latitude, longitude }: Airport): PlaceRef {
  return { iataCode, name, countryCode, latitude, longitude };
}

function dayAhead(days: number): string {
  return `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T10:00:00`;
}
