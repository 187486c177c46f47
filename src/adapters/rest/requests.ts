import type { BookingKey, BookRequest, ModifyRequest, RentalRequest } from '../../model/bookings.js';
import type { LocationSearch, PlaceRef } from '../../model/locations.js';
import { formatAmount } from '../../model/money.js';
import type { VehicleSearch } from '../../model/offers.js';
import type { SupplierContext } from '../../model/supplier.js';
import { writeLocal } from './local-time.js';
import type { Manifest } from './options.js';

/**
 * The values that expressions of a request read (request-names.ts): `open` anywhere, `secret` in headers and bodies,
 * `personal` only in bodies.
 */
export interface RequestValues {
  readonly open: object;
  readonly secret?: object;
  readonly personal: object;
}

/** Turns our requests into values for a manifest, with times in the supplier's format and brands as its codes. */
export class RequestWriter {
  readonly #brandCodes: ReadonlyMap<string, string>;

  constructor(private readonly manifest: Manifest) {
    this.#brandCodes = new Map([...(manifest.tables.brand ?? [])].map(([code, brand]) => [brand, code]));
  }

  locations(
    request: LocationSearch,
    { page, cursor }: { readonly page: number; readonly cursor?: unknown },
    context: SupplierContext,
  ): RequestValues {
    const { keyword, countryCode, near } = request;
    return {
      open: { ...call(context), keyword, countryCode, near, page, cursor, brands: request.brands.map(this.brandCode) },
      personal: {},
    };
  }

  vehicles(request: VehicleSearch, context: SupplierContext): RequestValues {
    const { dateOfBirth, loyalty, brands, ...open } = request;
    return {
      open: { ...call(context), ...open, ...this.when(request), brands: brands.map(this.brandCode) },
      personal: { dateOfBirth, loyalty },
    };
  }

  rental(request: RentalRequest, context: SupplierContext): RequestValues {
    return {
      open: { ...call(context), ...request, ...this.when(request), brand: this.brandCode(request.brand) },
      personal: {},
    };
  }

  /** `hold` is the ref of the hold, if there is one. */
  booking(request: BookRequest | ModifyRequest, context: SupplierContext, hold?: object): RequestValues {
    const { driver, additionalDrivers, arrival, payment, remark, total, ...open } = request;
    const amount = { amount: formatAmount(total), amountMinor: total.amountMinor, currency: total.currency };
    const arrivesAt = arrival?.arrivesAt === undefined ? undefined : this.write(arrival.arrivesAt);
    return {
      open: {
        ...call(context),
        ...open,
        ...this.when(request),
        brand: this.brandCode(request.brand),
        total: amount,
        hold,
      },
      personal: { driver, additionalDrivers, arrival: arrival && { ...arrival, arrivesAt }, payment, remark },
    };
  }

  key(key: BookingKey, context: SupplierContext, hold?: object): RequestValues {
    const { firstName, lastName, pickup, ...open } = key;
    const pickupDate = this.write(key.pickupDate);
    return {
      open: { ...call(context), ...open, pickup: coded(pickup), pickupDate, brand: this.brandCode(key.brand), hold },
      personal: { firstName, lastName },
    };
  }

  private when({
    pickup,
    dropoff,
    pickupDate,
    dropoffDate,
  }: Pick<RentalRequest, 'pickup' | 'dropoff' | 'pickupDate' | 'dropoffDate'>): object {
    return {
      pickup: coded(pickup),
      dropoff: coded(dropoff),
      pickupDate: this.write(pickupDate),
      dropoffDate: this.write(dropoffDate),
    };
  }

  private write(local: string): string {
    return writeLocal(local, this.manifest.times.write);
  }

  private readonly brandCode = (brand: string): string => this.#brandCodes.get(brand) ?? brand;
}

function call({ requestId, environment }: SupplierContext): object {
  return { requestId, environment };
}

/** A place with `code`: the supplier's location code, or the airport code if that is unknown. */
function coded(place: PlaceRef): object {
  return { ...place, code: place.supplierCode ?? place.iataCode };
}
