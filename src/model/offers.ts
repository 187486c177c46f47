import type { Distance, LocalDateTime, PlaceRef, SupplierLocation } from './locations.js';
import type { Money } from './money.js';

export type OfferStatus = 'available' | 'on_request';

export type PaymentType = 'pay_now' | 'pay_later' | 'pay_partial' | 'guarantee' | 'voucher';

export type FuelPolicy = 'full_to_full' | 'full_to_empty' | 'prepaid' | 'same_to_same' | 'electric' | 'unknown';

export interface Vehicle {
  /** ACRISS code, `^[A-Z]{4}$`; absent if the supplier sent none, and never derived. acriss.ts decodes it. */
  readonly sippCode?: string;
  readonly name: string;
  readonly make?: string;
  readonly model?: string;
  readonly orSimilar: boolean;
  readonly classCode?: string;
  readonly className?: string;
  readonly seats?: number;
  /** An integer, or a range as text ("2-4"). */
  readonly doors?: number | string;
  readonly bagsLarge?: number;
  readonly bagsSmall?: number;
  readonly imageUrl?: string;
  /** As stated by the supplier; may contradict the SIPP code (vehicle-features.ts). */
  readonly transmission?: 'manual' | 'automatic';
  readonly airConditioning?: boolean;
  readonly fuel?: string;
}

export interface Rate {
  readonly code?: string;
  readonly type?: string;
  readonly payment: PaymentType;
  /** Whether the rate includes the usual coverages. */
  readonly inclusive: boolean;
  /** Codes of discounts, promotions and tours, and loyalty programs, that the supplier applied. */
  readonly discountsApplied: readonly string[];
}

export type ChargeKind =
  | 'rental'
  | 'one_way'
  | 'young_driver'
  | 'senior_driver'
  | 'additional_driver'
  | 'airport'
  | 'tax'
  | 'surcharge'
  | 'fee'
  | 'equipment'
  | 'coverage'
  | 'fuel'
  | 'distance'
  | 'discount'
  | 'delivery'
  | 'out_of_hours'
  | 'other';

export interface PriceItem {
  readonly kind: ChargeKind;
  readonly code?: string;
  readonly description: string;
  readonly amount: Money;
  readonly unit: 'rental' | 'day' | 'week' | 'hour' | 'percent';
  readonly quantity: number;
  readonly mandatory: boolean;
  readonly includedInTotal: boolean;
  readonly payable: 'now' | 'counter';
}

/**
 * A total in the currency that the caller requested. The supplier charges the total, never this. `dueNow` + `dueAtCounter` =
 * the amount.
 */
export interface DisplayPrice extends Money {
  /** Absent, as all that follows, if the supplier converted its total itself. */
  readonly dueNow?: Money;
  readonly dueAtCounter?: Money;
  /** Units of its currency for one unit of the total's currency, as decimal text. */
  readonly rate?: string;
  /** The day of the rate, YYYY-MM-DD. */
  readonly asOf?: string;
  /** Who publishes the rate. */
  readonly source?: string;
  /** Whether the rate was older than the gateway allows when it was used. Absent = no. */
  readonly stale?: true;
}

/** A rate that a quote or reservation keeps: units of `to` for one unit of `from`. */
export interface LockedRate extends Required<Pick<DisplayPrice, 'rate' | 'asOf' | 'source'>> {
  readonly from: string;
  readonly to: string;
  readonly stale?: true;
}

/** The currency in which a caller wants to see a price, and the rate at which it saw it if that is kept. */
export interface DisplayTerms {
  readonly currency: string;
  readonly locked?: LockedRate;
}

/** Price of the complete rental. `dueNow` + `dueAtCounter` = `total`. */
export interface Price {
  /** As stated by the supplier; never recomputed. */
  readonly total: Money;
  readonly base?: Money;
  readonly taxes?: Money;
  readonly fees?: Money;
  readonly oneWay?: Money;
  readonly extras?: Money;
  readonly coverages?: Money;
  readonly discount?: Money;
  readonly dueNow: Money;
  readonly dueAtCounter: Money;
  readonly items: readonly PriceItem[];
  /** The part of the total that its items don't explain; absent if it is zero or there are no items. */
  readonly unitemised?: Money;
  /** The total in the currency that the caller requested. From an adapter: as the supplier converted it. */
  readonly display?: DisplayPrice;
}

export interface DistancePolicy {
  readonly unlimited: boolean;
  readonly included?: Distance;
  readonly per?: 'rental' | 'day' | 'week' | 'month' | 'hour';
  /** Price per additional kilometer or mile. */
  readonly overage?: Money;
}

export interface Coverage {
  readonly code: string;
  /** In snake case, the same for all suppliers: collision_damage_waiver, theft_protection, … or other. */
  readonly type: string;
  readonly name: string;
  readonly included: boolean;
  readonly mandatory: boolean;
  readonly pricePerDay?: Money;
  readonly priceTotal?: Money;
  readonly excess?: Money;
}

export interface Extra {
  readonly code: string;
  /**
   * In snake case, the same for all suppliers: infant_seat, booster_seat, navigation, additional_driver, … or other.
   */
  readonly type: string;
  readonly name: string;
  readonly pricePerDay?: Money;
  readonly priceTotal?: Money;
  readonly maxQuantity: number;
  readonly mandatory: boolean;
}

export interface Deposit {
  readonly amount: Money;
  readonly takenAt?: 'booking' | 'pickup';
}

/** Terms that apply if the car isn't collected, besides the fee. */
export interface NoShow {
  /** Cancelling by then avoids the no-show fee. */
  readonly cancelBy?: LocalDateTime;
  /** The car is kept until then. */
  readonly graceUntil?: LocalDateTime;
  /** In the supplier's words. */
  readonly text?: string;
}

/** Cancellation terms. Never assume that cancellation is free (docs/trade.md#terms-as-text). */
export interface Cancellation {
  /** Absent if `source` is `unknown`. */
  readonly refundable?: boolean;
  readonly freeUntil?: LocalDateTime;
  readonly rules: readonly {
    readonly from?: LocalDateTime;
    readonly until?: LocalDateTime;
    readonly fee?: Money;
    readonly percent?: string;
    readonly text?: string;
  }[];
  readonly noShowFee?: Money;
  readonly noShow?: NoShow;
  /** `unknown`: the supplier provides nothing machine-readable. */
  readonly source: 'structured' | 'text' | 'unknown';
}

export interface Requirements {
  readonly minAge?: number;
  readonly maxAge?: number;
  readonly youngDriverFee?: Money;
  readonly flightRequired?: boolean;
  /** Whether the rate can be booked only with a card as guarantee. */
  readonly creditCardRequired?: boolean;
  /**
   * Cards that the supplier accepts, in snake case, the same for all suppliers: visa, mastercard, american_express, … or
   * other. Absent if it doesn't say.
   */
  readonly acceptedCards?: readonly string[];
}

/** What the supplier states about changing a booking of the offer later. At least one member. */
export interface ChangePolicy {
  readonly allowed?: boolean;
  /** Whether a change costs a fee. */
  readonly penalty?: boolean;
}

export interface Term {
  readonly kind: string;
  readonly url?: string;
  readonly text?: string;
}

/** One vehicle at one rate. The gateway adds ids, UTC times and the location's time zone. */
export interface SupplierOffer {
  readonly brand: string;
  readonly status: OfferStatus;
  /** Everything the adapter needs to price and book this offer later. It becomes part of the signed offer id, so keep it small. */
  readonly supplierRef: Readonly<Record<string, string | number | boolean>>;
  /** UTC time, if the supplier states one; the gateway may make the offer expire earlier. */
  readonly expiresAt?: string;
  readonly vehicle: Vehicle;
  /** Use one object for all offers of a response that share the location, so that it is converted only once. */
  readonly pickup: SupplierLocation;
  readonly dropoff: SupplierLocation;
  readonly pickupDate: LocalDateTime;
  readonly dropoffDate: LocalDateTime;
  readonly rate: Rate;
  readonly price: Price;
  /** The days that the supplier charges: seven for a rental of five at a weekly rate, or a minimum. */
  readonly rentalDays: number;
  /** Whether the answer itself states both dates. Absent = they are those of the request. */
  readonly statesDates?: boolean;
  readonly distancePolicy: readonly DistancePolicy[];
  readonly fuelPolicy: FuelPolicy;
  readonly coverages: readonly Coverage[];
  readonly extras: readonly Extra[];
  readonly deposit?: Deposit;
  readonly cancellation: Cancellation;
  /** Absent if the supplier states nothing. */
  readonly changes?: ChangePolicy;
  readonly requirements: Requirements;
  readonly terms: readonly Term[];
}

/** What a search needs of an offer besides its text: to filter, sort and compare it and to make its id. */
export interface ListedOffer extends Pick<SupplierOffer, 'brand' | 'status' | 'supplierRef' | 'expiresAt'> {
  readonly vehicle: Pick<
    Vehicle,
    | 'sippCode'
    | 'name'
    | 'make'
    | 'model'
    | 'seats'
    | 'doors'
    | 'bagsLarge'
    | 'bagsSmall'
    | 'transmission'
    | 'airConditioning'
    | 'fuel'
  >;
  readonly pickup: Pick<SupplierLocation, 'latitude' | 'longitude' | 'iataCode' | 'code' | 'brand' | 'counter'>;
  readonly rate: Pick<Rate, 'payment'>;
  readonly price: Pick<Price, 'total' | 'dueNow' | 'display'>;
  /** The days that the supplier charges or, if fewer, those between the dates: for what it includes per day. */
  readonly rentalDays: number;
  readonly distancePolicy: readonly Pick<DistancePolicy, 'unlimited' | 'included' | 'per'>[];
  readonly cancellation: Pick<Cancellation, 'freeUntil'>;
}

export interface DiscountCode {
  readonly type: 'corporate' | 'promo' | 'coupon' | 'tour' | 'iata';
  readonly value: string;
}

export interface Loyalty {
  readonly program?: string;
  readonly number: string;
}

/** An availability search, as passed to one call of one supplier. */
export interface VehicleSearch {
  readonly pickup: PlaceRef;
  readonly dropoff: PlaceRef;
  readonly pickupDate: LocalDateTime;
  readonly dropoffDate: LocalDateTime;
  /** Country of residence of the driver, ISO 3166-1 alpha-2. */
  readonly countryCode: string;
  readonly age: number;
  readonly dateOfBirth?: string;
  /** Holds one brand if the adapter's `brandsPerCall` is `one`. */
  readonly brands: readonly string[];
  readonly currency?: string;
  readonly sippCodes: readonly string[];
  readonly discountCodes: readonly DiscountCode[];
  readonly loyalty: readonly Loyalty[];
  readonly additionalDrivers: number;
}
