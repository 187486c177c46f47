import type { BookingLedger } from './bookings.js';

/**
 * The simulated world that suppliers present in their dialects: locations, cars, prices. inventory.ts generates these
 * neutral shapes from a seed; a dialect's simulator only translates them. All amounts are integer minor units of
 * `currency`.
 */

export interface SimulatedLocation {
  readonly code: string;
  readonly iataCode?: string;
  readonly atAirport: boolean;
  readonly name: string;
  readonly city: string;
  readonly region: string;
  readonly regionCode: string;
  readonly countryCode: string;
  readonly postalCode: string;
  readonly street: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly timeZone: string;
  /** National format with country prefix: "(1) 617-561-3500". */
  readonly phone: string;
  /** By weekday, 0 = Sunday; empty = closed. Minutes from midnight; 0–1440 = open all day. */
  readonly hours: readonly (readonly { readonly openMinute: number; readonly closeMinute: number }[])[];
  readonly afterHoursReturn: boolean;
  readonly skipTheQueue: boolean;
  /** The local currency, ISO 4217. */
  readonly currency: string;
}

export interface SimulatedCar {
  readonly sippCode: string;
  /** The supplier's class code of one or two letters, unique within a location. */
  readonly classCode: string;
  readonly className: string;
  readonly make: string;
  readonly model: string;
  readonly transmission: 'manual' | 'automatic';
  readonly fuel: 'petrol' | 'diesel' | 'hybrid' | 'electric';
  readonly airConditioning: boolean;
  readonly seats: number;
  readonly doors: number;
  readonly bagsLarge: number;
  readonly bagsSmall: number;
  readonly onRequest: boolean;
}

export interface SimulatedCharge {
  /** OTA Purpose code (VCP list): 2 one-way, 7 tax, 13 young driver, 30 airport surcharge, 33 licence fee, … */
  readonly purpose: number;
  readonly description: string;
  readonly amount: number;
  readonly includedInTotal: boolean;
  readonly percent?: number;
}

/** The price of one car for one rental. `total` = `base` + the charges with includedInTotal, for each payment type. */
export interface SimulatedPrice {
  readonly currency: string;
  readonly days: number;
  readonly dailyRate: number;
  readonly base: number;
  readonly charges: readonly SimulatedCharge[];
  readonly total: number;
  /**
   * The prepaid price of the same car, about 8 % lower, with its own charges; absent if the location does not sell it.
   */
  readonly prepaid?: { readonly base: number; readonly charges: readonly SimulatedCharge[]; readonly total: number };
}

export interface SimulatedExtra {
  readonly abgCode: string;
  readonly equipType: number;
  readonly name: string;
  readonly perDay: number;
  readonly maxPerRental: number;
  readonly maxQuantity: number;
}

export interface SimulatedCoverage {
  readonly abgCode: string;
  readonly coverageType: number;
  readonly name: string;
  readonly perDay: number;
  readonly included: boolean;
  readonly excess?: number;
}

/** A rental requested in a dialect. Times are local, without zone. */
export interface SimulatedRental {
  readonly pickup: SimulatedLocation;
  readonly dropoff: SimulatedLocation;
  readonly pickupDate: string;
  readonly dropoffDate: string;
  readonly age: number;
  /** Scenario verb price(±n%): changes every base price by this percentage. 0 or absent = unchanged. */
  readonly pricePercent?: number;
  /** What known codes and memberships take off every base price, in percent (discounts.ts). 0 or absent = nothing. */
  readonly discountPercent?: number;
  /** Additional drivers whose charge is part of every price. 0 or absent = none. */
  readonly additionalDrivers?: number;
}

export interface SimulatedCarOffer {
  readonly car: SimulatedCar;
  readonly price: SimulatedPrice;
  readonly unlimitedDistance: boolean;
  /** Kilometers per day if limited. */
  readonly distancePerDayKm?: number;
  readonly deposit: number;
  readonly minAge: number;
  /** Hours before pickup until which cancellation is free; undefined = not refundable. */
  readonly freeCancellationHours?: number;
}

/**
 * The inventory of one simulated brand. Deterministic: the same seed and request give the same answer on every machine.
 */
export interface Inventory {
  /** Locations that match a keyword (code, city, name; ignoring accents and case), best first, at most `limit`. */
  findLocations(keyword: string, countryCode: string | undefined, limit: number): readonly SimulatedLocation[];
  locationByCode(code: string): SimulatedLocation | undefined;
  /** At least 30 cars; empty if a location is closed at pickup or return or the one-way rental is not offered. */
  carsFor(rental: SimulatedRental): readonly SimulatedCarOffer[];
  extras(location: SimulatedLocation): readonly SimulatedExtra[];
  coverages(location: SimulatedLocation, car: SimulatedCar): readonly SimulatedCoverage[];
}

/** A request as a dialect's simulator receives it, with its complete body. */
export interface SimulatedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /**
   * The verb of header x-sim-directive, limited to those that a dialect handles itself: ok, empty, auth, throttled,
   * price, sold_out, on_request. A booking with `empty` is made and answered with a success without content.
   */
  readonly directive: Directive;
}

export interface SimulatedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The simulator of one dialect for the inventories of its brands. Maps requests to answers; its only state is bookings
 * and tokens.
 */
export interface DialectSimulator {
  answer(request: SimulatedRequest): SimulatedAnswer;
  /** Whether the call books, changes or cancels; lost_then_found and lost_for_good affect only such calls. */
  changesBookings(request: SimulatedRequest): boolean;
  readonly ledger: BookingLedger;
}

/**
 * One scenario verb with its argument (docs/sandbox.md). For every dialect, the simulator server handles slow, timeout,
 * reset, garbage, html, truncated, error, lost_then_found (done, then the connection breaks) and lost_for_good (the
 * connection breaks, nothing is done); the others reach the dialect.
 */
export type Directive =
  | {
      readonly verb:
        | 'ok'
        | 'empty'
        | 'timeout'
        | 'reset'
        | 'garbage'
        | 'html'
        | 'truncated'
        | 'auth'
        | 'throttled'
        | 'sold_out'
        | 'on_request'
        | 'lost_then_found'
        | 'lost_for_good';
    }
  | { readonly verb: 'slow'; readonly ms: number }
  | { readonly verb: 'error'; readonly status: number }
  | { readonly verb: 'price'; readonly percent: number };
