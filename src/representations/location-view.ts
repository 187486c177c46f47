import type { KeyObject } from 'node:crypto';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { SupplierLocation } from '../model/locations.js';
import { airportByIata, airports, timeZoneAt } from '../places/places.js';
import { MAGIC_COUNTRY } from '../sandbox/magic-places.js';
import { locationId, placeId } from './location-id.js';

/** What the gateway adds to a supplier's counter: ids, time zone, a dialable phone. Cached, for it costs more than the rest of a request. */
export interface LocationFacts {
  readonly locationId: string;
  readonly placeId?: string;
  readonly timeZone: string;
  /** E.164 when the supplier's text can be parsed, else its text. */
  readonly phone?: string;
}

/** Makes LocationFacts; one instance a process, at most 50,000 counters remembered. */
export class LocationFactsCache {
  readonly #facts = new Map<string, LocationFacts>();

  constructor(private readonly key: KeyObject) {}

  of(supplier: string, location: SupplierLocation): LocationFacts {
    const cacheKey = `${supplier}|${location.brand}|${location.code}|${location.latitude}|${location.longitude}|${location.phone}`;
    const known = this.#facts.get(cacheKey);
    if (known) return known;
    if (this.#facts.size >= 50_000) this.#facts.clear();
    const place = placeId(location);
    const phone = location.phone === undefined ? undefined : dialable(location.phone, location.address.countryCode);
    const facts: LocationFacts = {
      locationId: locationId(supplier, location, this.key),
      timeZone: timeZoneOf(location),
      ...(place === undefined ? {} : { placeId: place }),
      ...(phone === undefined ? {} : { phone }),
    };
    this.#facts.set(cacheKey, facts);
    return facts;
  }
}

/** IANA zone of a counter: of its airport, else of its coordinates, else of its country's first large airport, else UTC. */
export function timeZoneOf(location: {
  readonly address: { readonly countryCode: string };
  readonly iataCode?: string | undefined;
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
}): string {
  const country = location.address.countryCode;
  if (country === MAGIC_COUNTRY) return 'UTC';
  const airport = location.iataCode === undefined ? undefined : airportByIata(location.iataCode);
  if (airport && airport.countryCode === country) return airport.timeZone;
  if (location.latitude !== undefined && location.longitude !== undefined)
    return timeZoneAt(location.latitude, location.longitude);
  const inCountry = airports.filter((row) => row.countryCode === country);
  return (inCountry.find((row) => row.large) ?? inCountry[0])?.timeZone ?? 'UTC';
}

function dialable(text: string, countryCode: string): string {
  // "(1) 617-561-3500" is how suppliers write a country prefix.
  const international = text.replace(/^\((\d{1,3})\)\s*0?/, '+$1 ');
  return (
    parsePhoneNumberFromString(international, countryCode === MAGIC_COUNTRY ? undefined : (countryCode as CountryCode))
      ?.number ?? text
  );
}

/** A counter on the wire (docs/model.md#location) as JSON text; `distanceKm` is set by a search around a point. */
export function locationJson(
  supplier: string,
  location: SupplierLocation,
  facts: LocationFacts,
  distanceKm?: number,
): string {
  return JSON.stringify({
    ...summary(supplier, location, facts),
    opening_hours: location.openingHours,
    special_hours: location.specialHours,
    after_hours_return: location.afterHoursReturn,
    services: location.services,
    distance_from_search:
      distanceKm === undefined ? undefined : { value: Math.round(distanceKm * 10) / 10, unit: 'km' },
  });
}

/** A counter as an offer shows it: where it is, without opening hours and services (they stand in the location search). */
export function locationSummaryJson(supplier: string, location: SupplierLocation, facts: LocationFacts): string {
  return JSON.stringify(summary(supplier, location, facts));
}

function summary(supplier: string, location: SupplierLocation, facts: LocationFacts): Record<string, unknown> {
  const { address } = location;
  return {
    location_id: facts.locationId,
    supplier,
    brand: location.brand,
    code: location.code,
    code_context: location.codeContext,
    iata_code: location.iataCode,
    place_id: facts.placeId,
    name: location.name,
    type: location.type,
    counter: location.counter,
    address: {
      lines: address.lines,
      city: address.city,
      region: address.region,
      postal_code: address.postalCode,
      country_code: address.countryCode,
    },
    latitude: location.latitude,
    longitude: location.longitude,
    time_zone: facts.timeZone,
    phone: facts.phone,
  };
}
