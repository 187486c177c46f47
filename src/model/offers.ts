import type { Distance, LocalDateTime, PlaceRef, SupplierLocation } from './locations.js';
import type { Money } from './money.js';

export type OfferStatus = 'available' | 'on_request';

export type PaymentType = 'pay_now' | 'pay_later' | 'pay_partial' | 'guarantee' | 'voucher';

export type FuelPolicy = 'full_to_full' | 'full_to_empty' | 'prepaid' | 'same_to_same' | 'electric' | 'unknown';

export interface Vehicle {
  /** ACRISS code, `^[A-Z]{4}$`; absent where the supplier sent none (never synthesised). Decoding: acriss.ts. */
  readonly sippCode?: string;
  readonly name: string;
  readonly make?: string;
  readonly model?: string;
  readonly orSimilar: boolean;
  readonly classCode?: string;
  readonly className?: string;
  readonly seats?: number;
  /** Whole number, or a range as text ("2-4"). */
  readonly doors?: number | string;
  readonly bagsLarge?: number;
  readonly bagsSmall?: number;
  readonly imageUrl?: string;
  /** What the supplier itself says, where it says it; may contradict the SIPP code. */
  readonly transmission?: 'manual' | 'automatic';
  readonly airConditioning?: boolean;
  readonly fuel?: string;
}

export interface Rate {
  readonly code?: string;
  readonly type?: string;
  readonly payment: PaymentType;
  /** The rate contains the usual coverages (an inclusive rate). */
  readonly inclusive: boolean;
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
 * Price of the whole rental. `total` is the supplier's own word and never recomputed; what the items counted in the total do not
 * explain is `unitemised` (absent when zero, or when there are no items at all). `dueNow` + `dueAtCounter` = `total`.
 */
export interface Price {
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
  readonly unitemised?: Money;
  /** The same total in the currency the caller asked for, when the supplier gave one. */
  readonly display?: Money;
}

export interface DistancePolicy {
  readonly unlimited: boolean;
  readonly included?: Distance;
  readonly per?: 'rental' | 'day' | 'week' | 'month' | 'hour';
  /** Price of one further km or mile. */
  readonly overage?: Money;
}

export interface Coverage {
  readonly code: string;
  /** Lower snake, supplier-independent: collision_damage_waiver, theft_protection, … or other. */
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
  /** Lower snake, supplier-independent: infant_seat, booster_seat, navigation, additional_driver, … or other. */
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

/** `source: unknown` and no `refundable` when the supplier gives nothing machine-readable: never guessed as free (docs/trade.md#terms-as-text). */
export interface Cancellation {
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
  readonly source: 'structured' | 'text' | 'unknown';
}

export interface Requirements {
  readonly minAge?: number;
  readonly maxAge?: number;
  readonly youngDriverFee?: Money;
  readonly flightRequired?: boolean;
  readonly creditCardRequired?: boolean;
}

export interface Term {
  readonly kind: string;
  readonly url?: string;
  readonly text?: string;
}

/** One vehicle × one rate as a supplier offers it. The engine adds ids, UTC instants and the location's time zone. */
export interface SupplierOffer {
  readonly brand: string;
  readonly status: OfferStatus;
  /** Everything the adapter needs to price and book this offer again; JSON scalars, travels inside our signed offer id. */
  readonly supplierRef: Readonly<Record<string, string | number | boolean>>;
  /** UTC instant, when the supplier publishes one; the engine caps it. */
  readonly expiresAt?: string;
  readonly vehicle: Vehicle;
  /** Shared by all offers of an answer: the same object, so that it is enriched and written once. */
  readonly pickup: SupplierLocation;
  readonly dropoff: SupplierLocation;
  readonly pickupDate: LocalDateTime;
  readonly dropoffDate: LocalDateTime;
  readonly rate: Rate;
  readonly price: Price;
  readonly rentalDays: number;
  readonly distancePolicy: readonly DistancePolicy[];
  readonly fuelPolicy: FuelPolicy;
  readonly coverages: readonly Coverage[];
  readonly extras: readonly Extra[];
  readonly deposit?: Deposit;
  readonly cancellation: Cancellation;
  readonly requirements: Requirements;
  readonly terms: readonly Term[];
}

export interface DiscountCode {
  readonly type: 'corporate' | 'promo' | 'coupon' | 'tour' | 'iata';
  readonly value: string;
}

export interface Loyalty {
  readonly program?: string;
  readonly number: string;
}

/** An availability search as one call of one supplier gets it. `brands` holds one brand where the adapter asks for one a call. */
export interface VehicleSearch {
  readonly pickup: PlaceRef;
  readonly dropoff: PlaceRef;
  readonly pickupDate: LocalDateTime;
  readonly dropoffDate: LocalDateTime;
  /** Residence of the driver, ISO 3166-1 alpha-2. */
  readonly countryCode: string;
  readonly age: number;
  readonly dateOfBirth?: string;
  readonly brands: readonly string[];
  readonly currency?: string;
  readonly sippCodes: readonly string[];
  readonly discountCodes: readonly DiscountCode[];
  readonly loyalty: readonly Loyalty[];
  readonly additionalDrivers: number;
}
