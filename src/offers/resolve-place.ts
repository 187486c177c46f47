import type { KeyObject } from 'node:crypto';
import type { PlaceRef } from '../model/locations.js';
import { airportByIata, nearestIataCodes } from '../places/places.js';
import { readLocationId } from '../representations/location-id.js';
import { timeZoneOf } from '../representations/location-view.js';
import { isMagicPlace, MAGIC_COUNTRY } from '../sandbox/magic-places.js';
import type { Problem } from '../status/api-error.js';

/** A location as the gateway understands it. `onlySupplier` is set where no other supplier can be asked for it. */
export interface ResolvedPlace {
  /** As echoed in `request`: the code or id the caller gave, codes in capitals. */
  readonly given: string;
  readonly ref: PlaceRef;
  readonly timeZone: string;
  readonly onlySupplier?: string;
  /** The brand that alone knows the counter; set together with onlySupplier. */
  readonly onlyBrand?: string;
  /** Supplier whose own code `ref.supplierCode` is; the others use the IATA code. */
  readonly codeOf?: string;
}

/** What a supplier's own code needs to be understood: the supplier of the one brand the caller named. */
export interface BrandOwner {
  readonly supplier: string;
  readonly brand: string;
}

/**
 * Resolves `pickup_location` / `dropoff_location` (ruling 27): loc_… and plc_… ids, IATA codes, magic places, or a supplier's code
 * when one brand is named. Gives a Problem (invalid_range, with the nearest codes) for anything else.
 */
export function resolvePlace(
  text: string,
  field: string,
  owner: BrandOwner | undefined,
  key: KeyObject,
): ResolvedPlace | Problem {
  if (text.startsWith('loc_')) return fromLocationId(text, field, key);
  const code = (text.startsWith('plc_') ? text.slice(4) : text).toUpperCase();
  if (isMagicPlace(code)) return magicPlace(code);
  const airport = airportByIata(code);
  if (airport) {
    const { iataCode, name, countryCode, latitude, longitude, timeZone } = airport;
    return { given: code, ref: { iataCode, name, countryCode, latitude, longitude }, timeZone };
  }
  if (owner && /^[A-Z0-9]{2,16}$/.test(code) && !text.startsWith('plc_')) {
    // Nothing tells where a supplier's bare code is; country and zone come with the supplier's answer.
    return {
      given: code,
      ref: { supplierCode: code, countryCode: '' },
      timeZone: '',
      onlySupplier: owner.supplier,
      onlyBrand: owner.brand,
      codeOf: owner.supplier,
    };
  }
  const near = nearestIataCodes(code.slice(0, 40), 3);
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
  return {
    reason: 'invalid_range',
    field,
    details: `"${text.slice(0, 40)}" is not a location here.${hint} Use an IATA code, a location_id from /cars/locations/v1/, or a supplier's code together with one brand.`,
  };
}

function magicPlace(code: string): ResolvedPlace {
  return {
    given: code,
    ref: { iataCode: code, name: `Sandbox ${code}`, countryCode: MAGIC_COUNTRY, latitude: 0, longitude: 0 },
    timeZone: 'UTC',
  };
}

/** The code that a location text stands for (of a `loc_…` id, its counter's), for choosing a magic place's scenario. */
export function codeOf(text: string, key: KeyObject): string {
  return text.startsWith('loc_') ? (readLocationId(text, key)?.code ?? '') : text;
}

function fromLocationId(text: string, field: string, key: KeyObject): ResolvedPlace | Problem {
  const location = readLocationId(text, key);
  if (!location)
    return {
      reason: 'invalid_range',
      field,
      details: `"${field}" is not a location_id of this service. Take one from /cars/locations/v1/.`,
    };
  if (isMagicPlace(location.code)) return magicPlace(location.code);
  const { supplier, brand, code, iataCode, countryCode, latitude, longitude } = location;
  return {
    given: text,
    ref: {
      supplierCode: code,
      countryCode,
      ...(iataCode === undefined ? {} : { iataCode }),
      ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
    },
    timeZone: timeZoneOf({ address: { countryCode }, iataCode, latitude, longitude }),
    codeOf: supplier,
    ...(iataCode === undefined ? { onlySupplier: supplier, onlyBrand: brand } : {}),
  };
}

/** The place in terms of one supplier: a supplier's own code only for the supplier whose code it is (undefined = one whose codes do not occur). */
export function placeFor({ ref, codeOf }: ResolvedPlace, supplier: string | undefined): PlaceRef {
  if (codeOf === supplier) return ref;
  const { supplierCode: _code, ...rest } = ref;
  return rest;
}

/** Whether resolvePlace gave a problem. */
export function isProblem(value: ResolvedPlace | Problem): value is Problem {
  return 'reason' in value;
}
