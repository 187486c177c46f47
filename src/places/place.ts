/** Kinds of places in the order of their numbers in places.br. */
export const KINDS = ['city', 'airport', 'station', 'region', 'country'] as const;

/** What a place is. A metropolitan code (LON) belongs to a city. */
export type PlaceKind = (typeof KINDS)[number] | 'postal_code';

/** A place that travelers name. Its id is the same in every release unless its source renumbers it. */
export interface Place {
  /** `plc_lhr` (airport), `plc_city_2643743`, `plc_station_8000105`, `plc_region_us_ca`, `plc_country_de`, `plc_postal_us_02128`. */
  readonly id: string;
  readonly kind: PlaceKind;
  /** In English if the source has it. */
  readonly name: string;
  /** IATA code of an airport or metropolitan area, ISO 3166 code of a country or region, postal code; absent if it has none. */
  readonly code?: string;
  /** ISO 3166-2; absent if unknown. */
  readonly regionCode?: string;
  readonly countryCode: string;
  /** For a country or region: those of its most important airport. */
  readonly latitude: number;
  readonly longitude: number;
  /** 0 to 255, by population, passengers and market. */
  readonly importance: number;
}
