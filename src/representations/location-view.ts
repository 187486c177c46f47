import type { KeyObject } from 'node:crypto';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { identityOf } from '../model/location-identity.js';
import type { SupplierLocation } from '../model/locations.js';
import { ownCopy, withOwnTexts } from '../model/own-copy.js';
import { MAGIC_COUNTRY } from '../sandbox/magic-places.js';
import { timeZonesOf } from '../suppliers/time-zones.js';
import type { locationSummaryWire, locationWire } from './location.wire.js';
import { locationId, placeId } from './location-id.js';
import type { WireView } from './wire-view.js';

/**
 * What the gateway adds to a supplier's location: ids, time zone and a dialable phone number. Computing it is
 * expensive, so it is cached.
 */
export interface LocationFacts {
  readonly locationId: string;
  readonly placeId?: string;
  readonly timeZone: string;
  /** Whether the location may be in another zone of its country. */
  readonly isZoneEstimated: boolean;
  /** In E.164 format if the supplier's text has at most 25 characters and can be parsed, otherwise that text. */
  readonly phone?: string;
}

/** The facts of a supplier's locations that are kept; no supplier sends more in a short time, and none displaces those of another. */
const MOST_FACTS = 10_000;

/** Telephone numbers have up to 15 digits. Parsing one takes the more time the longer it is. */
const MOST_PHONE = 25;

/** Computes and caches the LocationFacts of up to 10,000 locations per supplier, with copies of their texts; one instance per process. */
export class LocationFactsCache {
  readonly #facts = new Map<string, Map<string, LocationFacts>>();

  constructor(private readonly key: KeyObject) {}

  of(supplier: string, location: SupplierLocation): LocationFacts {
    const ofSupplier = this.#facts.get(supplier) ?? new Map<string, LocationFacts>();
    this.#facts.set(supplier, ofSupplier);
    const cacheKey = identityOf(location);
    const known = ofSupplier.get(cacheKey);
    if (known) return known;
    if (ofSupplier.size >= MOST_FACTS) ofSupplier.clear();
    const place = placeId(location);
    const phone = location.phone === undefined ? undefined : dialable(location.phone, location.address.countryCode);
    const [timeZone = 'UTC', ...others] = timeZonesOf(location);
    const facts: LocationFacts = withOwnTexts({
      locationId: locationId(supplier, location, this.key),
      timeZone,
      isZoneEstimated: others.length > 0,
      ...(place === undefined ? {} : { placeId: place }),
      ...(phone === undefined ? {} : { phone }),
    });
    ofSupplier.set(ownCopy(cacheKey), facts);
    return facts;
  }
}

function dialable(text: string, countryCode: string): string {
  if (text.length > MOST_PHONE) return text;
  // Suppliers write the country prefix as in "(1) 617-561-3500".
  const international = text.replace(/^\((\d{1,3})\)\s*0?/, '+$1 ');
  return (
    parsePhoneNumberFromString(international, countryCode === MAGIC_COUNTRY ? undefined : (countryCode as CountryCode))
      ?.number ?? text
  );
}

/**
 * Converts a location to its form in an offer, without the opening hours and services that the location search returns.
 */
export function locationSummaryView(
  supplier: string,
  location: SupplierLocation,
  facts: LocationFacts,
): WireView<typeof locationSummaryWire> {
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
    time_zone_estimated: facts.isZoneEstimated || undefined,
    phone: facts.phone,
  };
}

/** A location in a response (docs/model.md#location). */
export type LocationView = WireView<typeof locationWire>;

/** Converts a location to its form in a response. `distanceKm` is set in a search by coordinates. */
export function locationView(
  supplier: string,
  location: SupplierLocation,
  facts: LocationFacts,
  distanceKm?: number,
): LocationView {
  return {
    ...locationSummaryView(supplier, location, facts),
    opening_hours: location.openingHours.map(({ day, open, close }) => ({ day, open, close })),
    special_hours: location.specialHours.map(({ name, from, to, slots }) => ({
      name,
      from,
      to,
      slots: slots.map(({ open, close }) => ({ open, close })),
    })),
    after_hours_return: location.afterHoursReturn,
    services: location.services,
    distance_from_search:
      distanceKm === undefined ? undefined : { value: Math.round(distanceKm * 10) / 10, unit: 'km' },
  };
}
