import type { LocalDateTime, PlaceRef } from './locations.js';
import type { Money } from './money.js';
import type { Loyalty, OfferStatus, SupplierOffer } from './offers.js';

/**
 * The unified model of pricing and booking one offer (docs/model.md#reservation). An absent optional field means that the
 * caller or the supplier did not say.
 */

/** An extra that was chosen; `code` as the offer's extras have it, `quantity` 1 or more. */
export interface ChosenExtra {
  readonly code: string;
  readonly quantity: number;
}

/** One offer as it is to be priced or booked. */
export interface RentalRequest {
  readonly brand: string;
  /** The offer's own supplierRef: holds the codes of counters, rate and car. */
  readonly ref: SupplierOffer['supplierRef'];
  readonly pickup: PlaceRef;
  readonly dropoff: PlaceRef;
  readonly pickupDate: LocalDateTime;
  readonly dropoffDate: LocalDateTime;
  /** Residence of the driver, ISO 3166-1 alpha-2. */
  readonly countryCode: string;
  /** At pickup, in years. */
  readonly age: number;
  readonly extras: readonly ChosenExtra[];
  /** Codes of coverages that were chosen (included ones need not be). */
  readonly coverages: readonly string[];
}

export interface Driver {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phone?: string;
  /** YYYY-MM-DD. */
  readonly dateOfBirth?: string;
  readonly licence?: { readonly number: string; readonly countryCode?: string; readonly region?: string };
  readonly address?: {
    readonly lines: readonly string[];
    readonly city: string;
    readonly region?: string;
    readonly postalCode?: string;
    readonly countryCode: string;
  };
  readonly loyalty: readonly Loyalty[];
}

export interface AdditionalDriver {
  readonly firstName: string;
  readonly lastName: string;
}

/** How the renter arrives. `flightNumber` without the carrier; `arrivesAt` local wall clock at the pickup. */
export interface Arrival {
  readonly carrierCode: string;
  readonly flightNumber: string;
  readonly arrivesAt?: LocalDateTime;
}

/** A payment card on its way to a supplier: lives for one call, is never stored, logged or repeated (ruling 25). */
export interface Card {
  /** 13–19 digits, Luhn-valid. */
  readonly number: string;
  readonly expiryMonth: number;
  /** Four digits. */
  readonly expiryYear: number;
  readonly holder: string;
}

/** How the renter pays: at the counter, by card now or as guarantee, by voucher number. */
export type Payment =
  | { readonly type: 'counter' }
  | { readonly type: 'card'; readonly card: Card }
  | { readonly type: 'voucher'; readonly voucher: string };

/** One booking to make. */
export interface BookRequest extends RentalRequest {
  /** Ours, unique for each booking, 6–32 characters of A–Z a–z 0–9 _; the supplier gets it wherever its dialect has a place for one. */
  readonly reference: string;
  /** What the price check said and the caller accepts; a supplier that wants more must not book (refusal price_changed). */
  readonly total: Money;
  readonly status: OfferStatus;
  readonly driver: Driver;
  readonly additionalDrivers: readonly AdditionalDriver[];
  readonly arrival?: Arrival;
  readonly payment: Payment;
  readonly remark?: string;
  /** The renter collects after the booked time (ruling 25); set only together with `arrival`. */
  readonly pickupLater: boolean;
  /** The supplier shall write to the renter itself. */
  readonly notifyCustomer: boolean;
}

/** What can be changed on a booking: `rental` = dates, places, vehicle or rate. */
export type ChangeKind = 'contact' | 'arrival' | 'remark' | 'extras' | 'coverages' | 'rental';

/** A booking as it shall be afterwards, in whole. */
export interface ModifyRequest extends BookRequest {
  readonly confirmationNumber: string;
  /** What differs from before; never empty. */
  readonly changes: readonly ChangeKind[];
}

/** Names one booking to its supplier. */
export interface BookingKey {
  readonly brand: string;
  readonly ref: SupplierOffer['supplierRef'];
  /** Ours, as it went out with the booking. */
  readonly reference: string;
  /** The supplier's own; absent while it is not known (a lost answer). */
  readonly confirmationNumber?: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly pickup: PlaceRef;
  readonly pickupDate: LocalDateTime;
}

/** A booking as the supplier tells it. */
export interface SupplierBooking {
  /** `held`: a hold that was never confirmed; it books nothing and is released by `cancel`. */
  readonly status: 'confirmed' | 'on_request' | 'rejected' | 'cancelled' | 'held';
  /** Always there when confirmed or on_request. */
  readonly confirmationNumber?: string;
  /** Our reference, where the supplier repeats it. */
  readonly reference?: string;
  /** What further calls about this booking need, beside the request's own ref; empty = nothing. */
  readonly ref: SupplierOffer['supplierRef'];
  readonly total?: Money;
  readonly pickupDate?: LocalDateTime;
  readonly dropoffDate?: LocalDateTime;
  readonly sippCode?: string;
  /** Extras that are booked; absent = the supplier did not say. */
  readonly extras?: readonly ChosenExtra[];
}

/** What a cancellation cost, as far as the supplier says. */
export interface CancelResult {
  readonly fee?: Money;
  readonly refund?: Money;
  readonly cancellationNumber?: string;
}
