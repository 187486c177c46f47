/*
 * The model in code: camelCase here, snake_case in responses (representations/). An optional field is absent if the
 * supplier didn't provide it; adapters never guess.
 */

/** Local time at a location, `YYYY-MM-DDTHH:mm:ss`, without a time zone. */
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
  /** ISO 3166-1 alpha-2, in capitals. */
  readonly countryCode: string;
}

/**
 * One opening interval, `HH:mm`. A day may have several; a full day is 00:00–24:00. No rows: the supplier doesn't
 * publish hours.
 */
export interface OpeningHours {
  readonly day: Weekday;
  readonly open: string;
  readonly close: string;
}

/** Opening hours on a named day or between dates. No slots: closed. */
export interface SpecialHours {
  readonly name?: string;
  readonly from?: string;
  readonly to?: string;
  readonly slots: readonly { readonly open: string; readonly close: string }[];
}

/**
 * A rental location as its supplier describes it. The gateway adds ids, time zone, place and E.164 phone
 * (representations/).
 */
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
  /** In the supplier's format, trimmed. */
  readonly phone?: string;
  readonly openingHours: readonly OpeningHours[];
  readonly specialHours: readonly SpecialHours[];
  readonly afterHoursReturn?: boolean;
  /** In snake case: skip_the_queue, delivery, collection, express, … */
  readonly services: readonly string[];
  /** False if the location isn't open to the public; callers never see it. */
  readonly public: boolean;
  readonly distance?: Distance;
}

/** Where to pick up or drop off: everything the gateway knows. An adapter uses the code that its dialect supports. */
export interface PlaceRef {
  /** The supplier's code, if the caller chose a location of this supplier. */
  readonly supplierCode?: string;
  readonly iataCode?: string;
  readonly name?: string;
  readonly countryCode: string;
  readonly latitude?: number;
  readonly longitude?: number;
}

/** A search by keyword or coordinates; at least one of them is set. */
export interface LocationSearch {
  readonly keyword?: string;
  readonly countryCode?: string;
  /** The brands to search, in the spelling and order of the configuration; never empty. */
  readonly brands: readonly string[];
  readonly near?: { readonly latitude: number; readonly longitude: number; readonly radiusKm: number };
}
