import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { SupplierLocation } from '../model/locations.js';
import { type OpeningKeys, seal, unseal } from './sealed-id.js';

/**
 * The content of a `loc_…` id: the supplier's location and its position, so that other suppliers can search the same
 * place.
 */
export interface LocationKey {
  readonly supplier: string;
  readonly brand: string;
  readonly code: string;
  readonly iataCode?: string;
  readonly countryCode: string;
  readonly latitude?: number;
  readonly longitude?: number;
}

const tuple = z.tuple([
  z.string(),
  z.string(),
  z.string(),
  z.string().nullable(),
  z.string(),
  z.number().nullable(),
  z.number().nullable(),
]);

/**
 * Creates the `loc_…` id of a supplier's location. It stays the same as long as the location and the master secret do.
 */
export function locationId(supplier: string, location: SupplierLocation, key: KeyObject): string {
  return seal('loc_', placeText(supplier, location), key);
}

/** Reads a `loc_…` id; undefined if the gateway didn't create it. */
export function readLocationId(id: string, keys: OpeningKeys): LocationKey | undefined {
  const text = unseal('loc_', id, keys);
  if (text === undefined) return undefined;
  const parsed = tuple.safeParse(JSON.parse(text));
  if (!parsed.success) return undefined;
  const [supplier, brand, code, iataCode, countryCode, latitude, longitude] = parsed.data;
  return {
    supplier,
    brand,
    code,
    countryCode,
    ...(iataCode === null ? {} : { iataCode }),
    ...(latitude === null || longitude === null ? {} : { latitude, longitude }),
  };
}

/**
 * Identifies one airport across suppliers: `plc_` and its IATA code in lower case. Locations in town have none, because
 * there is no reliable way to recognize that two of them are the same place.
 */
export function placeId(location: SupplierLocation): string | undefined {
  return location.iataCode === undefined ? undefined : `plc_${location.iataCode.toLowerCase()}`;
}

function placeText(supplier: string, location: SupplierLocation): string {
  return JSON.stringify([
    supplier,
    location.brand,
    location.code,
    location.iataCode ?? null,
    location.address.countryCode,
    location.latitude ?? null,
    location.longitude ?? null,
  ]);
}
