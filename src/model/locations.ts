/*
 * The unified model in code: camelCase here, snake_case on the wire (representations/). An absent optional field means that the
 * supplier did not say; nothing is guessed.
 */

/** Wall clock at a location, `YYYY-MM-DDTHH:mm:ss`, never with a zone. */
export type LocalDateTime = string;

export type CodeContext = 'iata' | 'oag' | 'supplier';

export type LocationType = 'airport' | 'downtown' | 'rail' | 'port' | 'hotel' | 'dealer' | 'other';

export type Counter =
  | 'in_terminal'
  | 'shuttle_on_airport'
  | 'shuttle_off_airport'
  | 'meet_and_greet'
  | 'rental_center'
  | 'other';

export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';

export interface Distance {
  readonly value: number;
  readonly unit: 'km' | 'mi';
}

export interface Address {
  readonly lines: readonly string[];
  readonly city?: string;
  readonly region?: string;
  readonly postalCode?: string;
  /** ISO 3166-1 alpha-2, capitals. */
  readonly countryCode: string;
}

/** One opening interval; several a day are several rows. `HH:mm`, a whole day is 00:00–24:00. No rows = the supplier did not say. */
export interface OpeningHours {
  readonly day: Weekday;
  readonly open: string;
  readonly close: string;
}

/** Hours of a named or dated day. No slots = closed on that day, or not told where `closed` is absent. */
export interface SpecialHours {
  readonly name?: string;
  readonly from?: string;
  readonly to?: string;
  readonly slots: readonly { readonly open: string; readonly close: string }[];
}

/** A rental counter as its supplier describes it. The engine adds ids, time zone, place and E.164 phone (see enrich.ts). */
export interface SupplierLocation {
  readonly brand: string;
  readonly code: string;
  readonly codeContext: CodeContext;
  readonly iataCode?: string;
  readonly name: string;
  readonly type: LocationType;
  readonly counter?: Counter;
  readonly address: Address;
  readonly latitude?: number;
  readonly longitude?: number;
  /** As the supplier writes it, trimmed. */
  readonly phone?: string;
  readonly openingHours: readonly OpeningHours[];
  readonly specialHours: readonly SpecialHours[];
  readonly afterHoursReturn?: boolean;
  /** Lower snake: skip_the_queue, delivery, collection, express, … */
  readonly services: readonly string[];
  /** False for a counter that is not open to the public; such are never shown. */
  readonly public: boolean;
  readonly distance?: Distance;
}

/** Where to pick up or drop off, as far as the gateway knows it; an adapter takes the code it understands. */
export interface PlaceRef {
  /** The supplier's own code, when the caller named a counter of this supplier. */
  readonly supplierCode?: string;
  readonly iataCode?: string;
  readonly name?: string;
  readonly countryCode: string;
  readonly latitude?: number;
  readonly longitude?: number;
}

/** Keyword or coordinates (one of them is always there). An empty answer means: the supplier has no such counter. */
export interface LocationSearch {
  readonly keyword?: string;
  readonly countryCode?: string;
  /** The brands to ask, in the supplier's own spelling and order; never empty. */
  readonly brands: readonly string[];
  readonly near?: { readonly latitude: number; readonly longitude: number; readonly radiusKm: number };
}
