import type { OpeningHours, SupplierLocation } from '../../model/locations.js';
import { countryCodeOf } from '../places/country-code.js';
import type { LocationMapping } from './mapping.schema.js';
import type { AnswerReader } from './wire.js';

/** The manifest key of the value that makes a row unreadable; for warnings. */
export interface Unreadable {
  readonly unreadable: string;
}

/** Whether a row could not be read. */
export function isUnreadable(row: object): row is Unreadable {
  return 'unreadable' in row;
}

/** A location of one of `brands` (the first if the manifest maps none). Code, name and country are required. */
export function mapLocation(
  mapping: LocationMapping,
  reader: AnswerReader,
  node: unknown,
  brands: readonly string[],
): SupplierLocation | Unreadable {
  const brand = mapping.brand ? reader.brand(mapping.brand, node) : brands[0];
  if (brand === undefined || !brands.includes(brand)) return { unreadable: 'brand' };
  const code = reader.text(mapping.code, node);
  if (code === undefined) return { unreadable: 'code' };
  const name = reader.title(mapping.name, node);
  if (name === undefined) return { unreadable: 'name' };
  const country = reader.text(mapping.countryCode, node);
  const countryCode = country === undefined ? undefined : countryCodeOf(country);
  if (countryCode === undefined) return { unreadable: 'countryCode' };
  return {
    brand,
    code,
    codeContext: 'supplier',
    iataCode: reader.matching(mapping.iataCode, node, /^[A-Za-z]{3}$/)?.toUpperCase(),
    name,
    type: reader.word('locationType', mapping.type, node) ?? 'other',
    counter: reader.word('counter', mapping.counter, node),
    address: {
      lines: reader.texts(mapping.lines, node),
      city: reader.text(mapping.city, node),
      region: reader.text(mapping.region, node),
      postalCode: reader.text(mapping.postalCode, node),
      countryCode,
    },
    ...coordinates(mapping, reader, node),
    phone: reader.text(mapping.phone, node),
    openingHours: openingHours(mapping.openingHours, reader, node),
    specialHours: [],
    afterHoursReturn: reader.flag(mapping.afterHoursReturn, node),
    services: reader.texts(mapping.services, node).filter((service) => /^[a-z_]{1,40}$/.test(service)),
    public: reader.flag(mapping.public, node) ?? true,
  };
}

/** Both or neither. */
function coordinates(
  mapping: LocationMapping,
  reader: AnswerReader,
  node: unknown,
): Pick<SupplierLocation, 'latitude' | 'longitude'> {
  const latitude = reader.number(mapping.latitude, node);
  const longitude = reader.number(mapping.longitude, node);
  if (latitude === undefined || longitude === undefined) return {};
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : {};
}

/** All or nothing: a missing day would look like a closed one. */
function openingHours(
  mapping: LocationMapping['openingHours'],
  reader: AnswerReader,
  node: unknown,
): readonly OpeningHours[] {
  if (!mapping) return [];
  const hours: OpeningHours[] = [];
  for (const row of reader.listed(reader.listIn(mapping.rows, mapping.day, node), mapping.rows)) {
    const day = reader.word('day', mapping.day, row);
    const open = reader.clock(mapping.open, row);
    const close = reader.clock(mapping.close, row);
    if (day === undefined || open === undefined || close === undefined) return [];
    hours.push({ day, open, close });
  }
  return hours;
}
