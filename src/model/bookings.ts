import type { LocalDateTime, PlaceRef, SupplierLocation } from './locations.js';
import type { Money } from './money.js';
import type { Loyalty, OfferStatus, SupplierOffer } from './offers.js';
import type { Warning } from './warnings.js';

/**
 * The model for pricing and booking an offer (docs/model.md#reservation). An optional field is absent if the caller or
 * the supplier didn't provide it.
 */

/** An extra that the caller chose. */
export interface ChosenExtra {
  /** From the offer's extras. */
  readonly code: string;
  /** At least 1. */
  readonly quantity: number;
}

/** An extra as a supplier lists it in a booking. */
export interface BookedExtra {
  readonly code: string;
  /** At least 1; absent if the supplier doesn't state it. */
  readonly quantity?: number;
}

/** The offer to price or book. */
export interface RentalRequest {
  readonly brand: string;
  /** From the offer; holds the supplier's codes for locations, rate and car. */
  readonly ref: SupplierOffer['supplierRef'];
  readonly pickup: PlaceRef;
  readonly dropoff: PlaceRef;
  readonly pickupDate: LocalDateTime;
  readonly dropoffDate: LocalDateTime;
  /** Country of residence of the driver, ISO 3166-1 alpha-2. */
  readonly countryCode: string;
  /** Age of the driver at pickup, in years. */
  readonly age: number;
  readonly extras: readonly ChosenExtra[];
  /** Codes of the chosen coverages; included coverages needn't be listed. */
  readonly coverages: readonly string[];
  /** The status of the offer as it was shown: it applies if the supplier's answer to a price check states none. Absent = available. */
  readonly status?: OfferStatus;
  /** For a change of other things than the rental: the proof that keeps the booked rate, from the look-up before it. Send it back unchanged. */
  readonly rateGuarantee?: string;
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

/** The flight on which the renter arrives. */
export interface Arrival {
  readonly carrierCode: string;
  /** Without the carrier code. */
  readonly flightNumber: string;
  /** Local time at the pickup location. */
  readonly arrivesAt?: LocalDateTime;
}

/**
 * A payment card on its way to a supplier. It is kept only for one call and never stored, logged or sent again (ruling
 * 25).
 */
export interface Card {
  /** 13–19 digits, Luhn-valid. */
  readonly number: string;
  readonly expiryMonth: number;
  /** Four digits. */
  readonly expiryYear: number;
  readonly holder: string;
}

/** How the renter pays: at the counter, by card (charged now or held as a guarantee), or with a voucher. */
export type Payment =
  | { readonly type: 'counter' }
  | { readonly type: 'card'; readonly card: Card }
  | { readonly type: 'voucher'; readonly voucher: string };

/** A booking to make. */
export interface BookRequest extends RentalRequest {
  /**
   * The gateway's reference, unique per booking: 6–32 characters of A–Z a–z 0–9 _. Send it if the dialect has a field
   * for it.
   */
  readonly reference: string;
  /** The total that the caller accepted. If the supplier charges more, it must not book (refusal `price_changed`). */
  readonly total: Money;
  readonly status: OfferStatus;
  readonly driver: Driver;
  readonly additionalDrivers: readonly AdditionalDriver[];
  readonly arrival?: Arrival;
  readonly payment: Payment;
  readonly remark?: string;
  /** Whether the renter picks up the car later than booked (ruling 25); true only if `arrival` is set. */
  readonly pickupLater: boolean;
  /** Whether the supplier should email the renter. */
  readonly notifyCustomer: boolean;
}

/** What can be changed on a booking. `rental` covers dates, places, vehicle and rate. */
export type ChangeKind = 'contact' | 'arrival' | 'remark' | 'extras' | 'coverages' | 'rental';

/** The complete booking as it should be after the change. */
export interface ModifyRequest extends BookRequest {
  readonly confirmationNumber: string;
  /** What is different from the current booking; never empty. */
  readonly changes: readonly ChangeKind[];
  /** The booking as it was, to distinguish an answer that repeats it from one that shows the change; absent if unknown. */
  readonly before?: Pick<RentalRequest, 'pickupDate' | 'dropoffDate' | 'extras'> & Partial<Pick<RentalRequest, 'ref'>>;
}

/** What identifies a booking at its supplier. */
export interface BookingKey {
  readonly brand: string;
  readonly ref: SupplierOffer['supplierRef'];
  /** The gateway's reference, as sent with the booking. */
  readonly reference: string;
  /** The supplier's number; absent as long as it is unknown, because the response to the booking was lost. */
  readonly confirmationNumber?: string;
  /** The number of a booking that is looked up by its reference, although the number is known: the supplier may have replaced it. */
  readonly formerNumber?: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly pickup: PlaceRef;
  readonly pickupDate: LocalDateTime;
  /** Whether it is looked up to change other things than the rental next. */
  readonly isForChange?: boolean;
}

/** A place of a booking. `iataCode` only if the supplier means an airport. */
export type BookedPlace = Pick<SupplierLocation, 'code' | 'iataCode' | 'latitude' | 'longitude'>;

/** A statement of the supplier that it has extras only on request, or not at all, beside a car that it may have confirmed. */
export interface ExtraNotice {
  readonly status: 'on_request' | 'not_booked';
  /** The extras that it can be about; absent = it doesn't say. */
  readonly codes?: readonly string[];
}

/** A booking as the supplier reports it. */
export interface SupplierBooking {
  /** `held`: a hold that was never confirmed. It isn't a booking; `cancel` releases it. */
  readonly status: 'confirmed' | 'on_request' | 'rejected' | 'cancelled' | 'held';
  /** With `on_request`: the supplier states no status, and may have accepted the request. Absent = it is stated. */
  readonly isStatusAssumed?: boolean;
  /** For an active booking: the supplier also shows what may be the number of its cancellation. Absent = it doesn't. */
  readonly mayBeCancelled?: boolean;
  /** Required if the status is `confirmed`, and if it is `on_request` without our `reference`: some suppliers number a request only when they accept it. */
  readonly confirmationNumber?: string;
  /** The gateway's reference, if the supplier returns it. */
  readonly reference?: string;
  /** What later calls for this booking need in addition to the `ref` of the request; may be empty. After a change whose price was checked, only the `ref` of that offer is left. */
  readonly ref: SupplierOffer['supplierRef'];
  readonly total?: Money;
  /** Whether the supplier needs a card to finish the booking; absent if it doesn't say. */
  readonly creditCardRequired?: boolean;
  /** Proof of the booked rate, which a change must send back to keep it; only `isForChange`, if the supplier has such a thing. */
  readonly rateGuarantee?: string;
  readonly pickupDate?: LocalDateTime;
  readonly dropoffDate?: LocalDateTime;
  readonly sippCode?: string;
  /** Where the rental begins and ends; absent if the supplier doesn't report a code. */
  readonly pickup?: BookedPlace;
  readonly dropoff?: BookedPlace;
  /** The booked extras, none with quantity 0; absent if the supplier doesn't report them. A code may be listed more than once. */
  readonly extras?: readonly BookedExtra[];
  /** What it says of extras that it doesn't confirm, whether or not it lists them; absent if nothing. */
  readonly extraNotices?: readonly ExtraNotice[];
  /** What was odd about the answer, for operators; absent if nothing. */
  readonly warnings?: readonly Warning[];
}

/** What a cancellation cost, if the supplier reports it. */
export interface CancelResult {
  readonly fee?: Money;
  readonly refund?: Money;
  readonly cancellationNumber?: string;
  /** What was odd about the answer, for operators; absent if nothing. */
  readonly warnings?: readonly Warning[];
}

/** Whether two codes or confirmation numbers are known and the same: suppliers don't keep to capitals. */
export function isSameCode(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one.toUpperCase() === other?.toUpperCase();
}

/** Whether a code is the same as one of these, without comparing it with each. */
export function sameCodeAsIn(codes: readonly (string | undefined)[]): (code: string) => boolean {
  const known = new Set(codes.map((code) => code?.toUpperCase()));
  return (code) => known.has(code.toUpperCase());
}

/** How many pieces these rows of one extra mean together; undefined if one doesn't say. */
export function quantityBooked(rows: readonly BookedExtra[]): number | undefined {
  return rows.reduce<number | undefined>(
    (sum, { quantity }) => (sum === undefined || quantity === undefined ? undefined : sum + quantity),
    0,
  );
}
