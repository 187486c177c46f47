import type { PlaceRef } from '../model/locations.js';
import { type Airport, airportByIata, nearestIataCodes, type Position } from '../places/places.js';
import { ANYWHERE } from '../places/zone-of.js';
import { readLocationId } from '../representations/location-id.js';
import type { OpeningKeys } from '../representations/sealed-id.js';
import { MAGIC_COUNTRY, type MagicPlace, magicPlace } from '../sandbox/magic-places.js';
import type { Problem } from '../status/api-error.js';
import { timeZonesOf } from '../suppliers/time-zones.js';
import { airportsOfPlace, type NearAirport } from './place-airports.js';

/** A resolved pickup or dropoff location. `onlySupplier` is set if no other supplier can be asked for it. */
export interface ResolvedPlace {
  /** As echoed in `request`: the caller's code or id, with codes in uppercase. */
  readonly given: string;
  readonly ref: PlaceRef;
  /** The IANA zones that it may be in, the most likely first; one if it is known. */
  readonly timeZones: readonly string[];
  readonly onlySupplier?: string;
  /** The only brand that has the location; set together with onlySupplier. */
  readonly onlyBrand?: string;
  /** The airports of a city or another place that has several: each is searched for itself. `ref` is the first of them. */
  readonly airports?: readonly ResolvedPlace[];
  /** The circle in which `airports` were looked for, if the caller named one. */
  readonly circle?: Circle;
  /** The supplier that uses `ref.supplierCode`; the others use the IATA code. */
  readonly codeOf?: string;
}

/** A circle to look for airports in, and those that were found. */
export interface Circle {
  /** Absent if the caller named the point by coordinates. */
  readonly placeId?: string;
  readonly point: Position;
  readonly radiusKm: number;
  /** The nearest first; at least one. */
  readonly found: readonly NearAirport[];
}

/** What a place is resolved with: the keys of location ids, and the environment, because only the sandbox has magic places. */
export interface PlaceSettings {
  readonly key: OpeningKeys;
  readonly environment: 'sandbox' | 'production';
}

/** The supplier of the single brand the caller named, needed to interpret a supplier's own code. */
export interface BrandOwner {
  readonly supplier: string;
  readonly brand: string;
}

/**
 * Resolves `pickup_location` or `dropoff_location` (ruling 27): loc_… and plc_… ids, IATA codes, the sandbox's magic
 * places, a supplier's code if exactly one brand is named, or a place with one or several airports. Returns a Problem (invalid_range, with the nearest codes) for anything
 * else.
 */
export function resolvePlace(
  text: string,
  field: string,
  owner: BrandOwner | undefined,
  settings: PlaceSettings,
): ResolvedPlace | Problem {
  if (text.startsWith('loc_')) return fromLocationId(text, field, settings);
  const code = (text.startsWith('plc_') ? text.slice(4) : text).toUpperCase();
  const magic = magicPlace(code, settings.environment);
  if (magic) return magic === 'unknown' ? unknownPlace(text, field, code) : atMagicPlace(magic);
  const airport = airportByIata(code);
  if (airport) return atAirport(airport);
  if (owner && /^[A-Z0-9]{2,16}$/.test(code) && !text.startsWith('plc_')) {
    // Where a supplier's code is located is unknown; country and time zone come with the supplier's answer.
    return {
      given: code,
      ref: { supplierCode: code, countryCode: '' },
      timeZones: ANYWHERE,
      onlySupplier: owner.supplier,
      onlyBrand: owner.brand,
      codeOf: owner.supplier,
    };
  }
  const own = airportsOfPlace(text.startsWith('plc_') ? text : code)?.map(atAirport) ?? [];
  const [first, ...more] = own;
  if (first && more.length === 0) return first;
  if (first) return { ...first, given: text.startsWith('plc_') ? text : code, airports: own };
  return unknownPlace(text, field, code);
}

/** The place of an airport. */
export function atAirport({ iataCode, name, countryCode, latitude, longitude, timeZone }: Airport): ResolvedPlace {
  return { given: iataCode, ref: { iataCode, name, countryCode, latitude, longitude }, timeZones: [timeZone] };
}

function unknownPlace(text: string, field: string, code: string): Problem {
  const near = nearestIataCodes(code.slice(0, 40), 3);
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
  return {
    reason: 'invalid_range',
    field,
    details: `"${text.slice(0, 40)}" is not a known location.${hint} Use an IATA code, a location_id from /cars/locations/v1/, or a supplier's code together with one brand.`,
  };
}

function atMagicPlace(code: MagicPlace): ResolvedPlace {
  return {
    given: code,
    ref: { iataCode: code, name: `Sandbox ${code}`, countryCode: MAGIC_COUNTRY, latitude: 0, longitude: 0 },
    timeZones: ['UTC'],
  };
}

/** The location code in a text, which may be a `loc_…` id; used to choose a magic place's scenario. */
export function codeOf(text: string, key: OpeningKeys): string {
  return text.startsWith('loc_') ? (readLocationId(text, key)?.code ?? '') : text;
}

function fromLocationId(text: string, field: string, { key, environment }: PlaceSettings): ResolvedPlace | Problem {
  const location = readLocationId(text, key);
  if (!location)
    return {
      reason: 'invalid_range',
      field,
      details: `"${field}" is not a valid location_id. Use one from /cars/locations/v1/.`,
    };
  const magic = magicPlace(location.code, environment);
  if (magic) return magic === 'unknown' ? unknownPlace(text, field, location.code) : atMagicPlace(magic);
  const { supplier, brand, code, iataCode, countryCode, latitude, longitude } = location;
  return {
    given: text,
    ref: {
      supplierCode: code,
      countryCode,
      ...(iataCode === undefined ? {} : { iataCode }),
      ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
    },
    timeZones: timeZonesOf({ address: { countryCode }, iataCode, latitude, longitude }),
    codeOf: supplier,
    ...(iataCode === undefined ? { onlySupplier: supplier, onlyBrand: brand } : {}),
  };
}

/**
 * The place as sent to one supplier: a supplier's own code only goes to that supplier. Undefined = a supplier whose
 * codes do not occur.
 */
export function placeFor({ ref, codeOf }: ResolvedPlace, supplier: string | undefined): PlaceRef {
  if (codeOf === supplier) return ref;
  const { supplierCode: _code, ...rest } = ref;
  return rest;
}

/** Whether resolvePlace returned a problem. */
export function isProblem(value: ResolvedPlace | Problem): value is Problem {
  return 'reason' in value;
}
