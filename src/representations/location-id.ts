import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { SupplierLocation } from '../model/locations.js';
import { seal, unseal } from './sealed-id.js';

/** What a `loc_…` id says: whose counter it is, and where, so that other suppliers can be asked for the same place. */
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

/** The `loc_…` id of a supplier's counter: the same for the same counter as long as the master secret stays. */
export function locationId(supplier: string, location: SupplierLocation, key: KeyObject): string {
  return seal('loc_', placeText(supplier, location), key);
}

/** Reads a `loc_…` or `plc_…` id; undefined when it is not one of ours. */
export function readLocationId(id: string, key: KeyObject): LocationKey | undefined {
  const text = unseal('loc_', id, key);
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
 * One physical place over several suppliers: `plc_` + the airport's IATA code in lower case. Counters in town have none: nothing tells
 * reliably that two of them are one place.
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
