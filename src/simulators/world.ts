import type { BookingLedger } from './bookings.js';

/**
 * What every simulated supplier tells the world through its own dialect: counters, cars, prices. Neutral shapes, made by inventory.ts from
 * a seed; a dialect's simulator only writes them in its own words. All amounts are integer minor units of `currency`.
 */

export interface SimulatedCounter {
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
  /** National style with country prefix: "(1) 617-561-3500". */
  readonly phone: string;
  /** Per weekday, 0 = Sunday; empty = closed. Minutes from midnight; 0–1440 = open all day. */
  readonly hours: readonly (readonly { readonly openMinute: number; readonly closeMinute: number }[])[];
  readonly afterHoursReturn: boolean;
  readonly skipTheQueue: boolean;
  /** What the local currency is, ISO 4217. */
  readonly currency: string;
}

export interface SimulatedCar {
  readonly sippCode: string;
  /** The supplier's class letter or two, unique within a counter. */
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

/** The price of one car for one rental. `total` = `base` + the charges with includedInTotal, for either way to pay. */
export interface SimulatedPrice {
  readonly currency: string;
  readonly days: number;
  readonly dailyRate: number;
  readonly base: number;
  readonly charges: readonly SimulatedCharge[];
  readonly total: number;
  /** Prepaid price of the same car, cheaper by about 8 %, with its own charges; absent where the counter does not sell it. */
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

/** A rental as a dialect's request asks for it. Local wall clock without zone. */
export interface SimulatedRental {
  readonly pickup: SimulatedCounter;
  readonly dropoff: SimulatedCounter;
  readonly pickupDate: string;
  readonly dropoffDate: string;
  readonly age: number;
  /** Scenario verb price(±n%): every base price moves by so many percent. 0 or absent = as it is. */
  readonly pricePercent?: number;
}

export interface SimulatedCarOffer {
  readonly car: SimulatedCar;
  readonly price: SimulatedPrice;
  readonly unlimitedDistance: boolean;
  /** Kilometres a day when not unlimited. */
  readonly distancePerDayKm?: number;
  readonly deposit: number;
  readonly minAge: number;
  /** Free cancellation until so many hours before pickup; undefined = the rate cannot be refunded. */
  readonly freeCancellationHours?: number;
}

/** The stock of one simulated brand. Deterministic: the same seed and question give the same answer on every machine. */
export interface Inventory {
  /** Counters that match a keyword (code, city, name; accents and case folded), best first, at most `limit`. */
  findCounters(keyword: string, countryCode: string | undefined, limit: number): readonly SimulatedCounter[];
  counterByCode(code: string): SimulatedCounter | undefined;
  /** At least 30 cars; empty where the counter is closed at pickup or return, or does not do this one-way. */
  carsFor(rental: SimulatedRental): readonly SimulatedCarOffer[];
  extras(counter: SimulatedCounter): readonly SimulatedExtra[];
  coverages(counter: SimulatedCounter, car: SimulatedCar): readonly SimulatedCoverage[];
}

/** A request as a dialect's simulator sees it, body whole. */
export interface SimulatedRequest {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /**
   * The verb the gateway asked for (header x-sim-directive), for verbs that a dialect must play itself: ok, empty, auth, throttled, price,
   * sold_out, on_request. On a booking `empty` is done and answered by a success without content.
   */
  readonly directive: Directive;
}

export interface SimulatedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Speaks one dialect over the inventories of its brands. Pure but for its own bookings and tokens: (request) → answer. */
export interface DialectSimulator {
  answer(request: SimulatedRequest): SimulatedAnswer;
  /** Whether the call books, changes or cancels: lost_then_found and lost_for_good concern these only. */
  changesBookings(request: SimulatedRequest): boolean;
  readonly ledger: BookingLedger;
}

/**
 * One scenario verb with its argument (docs/sandbox.md). slow, timeout, reset, garbage, html, truncated, error, lost_then_found (done,
 * then the connection breaks) and lost_for_good (the connection breaks, nothing is done) are played by the simulator server for every
 * dialect; the others reach the dialect.
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
